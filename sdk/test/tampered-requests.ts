import fc from "fast-check";
import type { SignedRequest } from "./signed-request.ts";

const fields = ["body", "id", "timestamp", "signature"] as const;

/** No white space: HTTP removes it around the value of a header, and a signature with a space beside it is the same signature. */
const characters = [...'0123456789abcdefXYZ+/=,.:{}"-é'];

/** Copies of a request, each with one character of one field replaced, inserted or removed. Every fourth changes the same field. */
export function tamperedRequests(requests: SignedRequest[], count: number, seed: number): SignedRequest[] {
  const changes = fc.record({
    request: fc.constantFrom(...requests),
    kind: fc.constantFrom("replace", "insert", "remove"),
    place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    character: fc.constantFrom(...characters),
  });
  return fc.sample(fc.noBias(changes), { numRuns: count, seed }).map(({ request, kind, place, character }, index) => {
    const field = fields[index % fields.length] ?? "body";
    const text = request[field];
    const at = Math.floor(place * text.length);
    const other = text[at] === character ? "0Z".replace(character, "").charAt(0) : character;
    const inserted = { replace: other, insert: other, remove: "" }[kind];
    const rest = text.slice(kind === "insert" ? at : at + 1);
    return { ...request, [field]: `${text.slice(0, at)}${inserted}${rest}` };
  });
}
