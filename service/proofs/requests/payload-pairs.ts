import { createSecretKey, randomBytes } from "node:crypto";
import fc from "fast-check";
import type { ProofTools } from "../../../scripts/proof.ts";
import { differingFields, fingerprintOf } from "../../src/accept/fingerprint.ts";
import { parseJsonBody } from "../../src/api/http/json-body.ts";
import { parseSendRequest } from "../../src/api/v1/sends/send-request-wire.ts";

type Payload = Record<string, string | string[] | null>;
type Pair = { one: string; other: string; isSame: boolean };

const text = fc.string({
  unit: fc.constantFrom("a", "B", " ", "é", "e\u0301", "😀", '"', "\\", ",", "/", "\u00a0"),
  minLength: 1,
  maxLength: 6,
});
const address = fc.constantFrom("a@x.io", "A@x.io", "a@X.io", "b@x.io", "a.b@x.io", "a+b@x.io", "ab@x.io");
const mailbox = fc.oneof(address, fc.constantFrom("A <a@x.io>", '"A" <a@x.io>', "a <a@x.io>", "Á <a@x.io>"));
const list = fc.array(address, { maxLength: 3 });

const payload: fc.Arbitrary<Payload> = fc
  .record(
    { from: mailbox, to: fc.array(address, { minLength: 1, maxLength: 3 }), subject: text, text },
    { noNullPrototype: true },
  )
  .chain((required) =>
    fc
      .record({ html: text, cc: list, bcc: list, reply_to: mailbox }, { requiredKeys: [], noNullPrototype: true })
      .map((optional) => ({ ...required, ...optional })),
  );

/** The same payload in another notation: field order, white space, escapes, and null or no field for an empty list. */
const rewritten = (given: Payload) =>
  fc
    .tuple(
      fc.shuffledSubarray(Object.keys(given), { minLength: Object.keys(given).length }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom("absent", "null", "empty"),
    )
    .map(([fields, isSpaced, isEscaped, empty]) => {
      const written: Payload = {};
      for (const field of fields) {
        const value = given[field] ?? null;
        if (!Array.isArray(value) || value.length > 0) written[field] = value;
      }
      for (const field of ["cc", "bcc"]) {
        if (written[field] !== undefined || empty === "absent") continue;
        written[field] = empty === "null" ? null : [];
      }
      const json = JSON.stringify(written, null, isSpaced ? 2 : undefined);
      return isEscaped
        ? json.replaceAll(/[^\x20-\x7e\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        : json;
    });

/** The payload with one field replaced. `isSame` is true when the new value means the same. */
const changed = (given: Payload) =>
  fc
    .tuple(payload, fc.constantFrom("from", "to", "subject", "text", "html", "cc", "bcc", "reply_to"))
    .map(([other, field]) => {
      const next = { ...given, [field]: other[field] ?? null };
      const value = (of: Payload) => {
        const found = of[field] ?? null;
        return JSON.stringify(Array.isArray(found) && found.length === 0 && field !== "to" ? null : found);
      };
      return { json: JSON.stringify(next), isSame: value(given) === value(next) };
    });

const pair: fc.Arbitrary<Pair> = payload.chain((given) =>
  fc.oneof(
    rewritten(given).map((other) => ({ one: JSON.stringify(given), other, isSame: true })),
    changed(given).map(({ json, isSame }) => ({ one: JSON.stringify(given), other: json, isSame })),
  ),
);

/** Fingerprints each payload with the functions that a request uses and compares the result with the generated answer. */
export function comparePayloads(count: number, seed: number, progress: ProofTools["progress"]) {
  const key = createSecretKey(randomBytes(32));
  const tally = { compared: 0, falseMatches: 0, falseConflicts: 0 };
  const slice = 5000;
  for (let from = 0; from < count; from += slice) {
    const pairs = fc.sample(pair, { numRuns: Math.min(slice, count - from), seed: seed + from });
    for (const { one, other, isSame } of pairs) {
      const isMatch = differingFields(fingerprint(key, one), fingerprint(key, other)).length === 0;
      tally.compared += 1;
      if (isMatch && !isSame) tally.falseMatches += 1;
      if (!isMatch && isSame) tally.falseConflicts += 1;
    }
    progress(`${tally.compared} of ${count} payload pairs`);
  }
  return tally;
}

function fingerprint(key: ReturnType<typeof createSecretKey>, json: string): Buffer {
  const reading = parseSendRequest(parseJsonBody(Buffer.from(json)), undefined, { maxAttachmentBytes: 0 });
  if ("problems" in reading)
    throw new Error(`a generated payload is not valid: ${JSON.stringify(reading.problems)} ${json}`);
  return fingerprintOf(key, reading.request.given);
}
