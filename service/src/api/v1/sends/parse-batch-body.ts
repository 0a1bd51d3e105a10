import { setImmediate } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { AppError, type FieldProblem } from "../../../errors.ts";
import type { SendRequest } from "../../../sends/send-request.ts";
import { parseJsonBody } from "../../http/json-body.ts";
import { fieldProblems, invalidRequest } from "../../http/validation-error.ts";
import { headerKeyOf, jsonBytesOf } from "./parse-send-body.ts";
import { maxPlainBytes } from "./read-send-body.ts";
import { batchKeyText, maxMails } from "./send-batch-wire.ts";
import { parseSendRequest, type SendLimits } from "./send-request-wire.ts";

export type ParsedMail = { request: SendRequest } | { problem: AppError };

type ParsedBatch = { mails: ParsedMail[]; contentBytes: number } | { problem: AppError };

type Fields = Record<string, unknown>;

/** 100 mails with 50 recipients, and as many values for the other fields. */
const maxValues = 20_000;
const maxEntries = 5_000;
/** Validating blocks the process. */
const mailsWithoutPause = 10;

/** Only what concerns the batch as a whole; each mail is validated by itself. */
const outline = z.strictObject({
  defaults: z.record(z.string(), z.unknown()).nullish(),
  mails: z.array(z.unknown()).min(1).max(maxMails),
});

/** Returns problems instead of throwing them, for the reason that parse-send-body.ts gives. */
export async function parseBatchBody(
  request: FastifyRequest,
  limits: SendLimits,
  queryProblems: FieldProblem[],
): Promise<ParsedBatch> {
  try {
    const bytes = jsonBytesOf(request);
    const parsed = outline.safeParse(parseJsonBody(bytes, maxValues), { reportInput: true });
    const problems = [
      ...queryProblems,
      ...keyProblems(headerKeyOf(request)),
      ...(parsed.success ? [] : fieldProblems(outline, parsed.error.issues)),
    ];
    if (!parsed.success || problems.length > 0) return { problem: invalidRequest(problems) };
    const { mails, defaults } = parsed.data;
    const written = { mails, defaults: defaults ?? {} };
    const contentBytes = requireSize(written, bytes.length);
    return { mails: await parseMails(written, headerKeyOf(request), limits), contentBytes };
  } catch (error) {
    if (error instanceof AppError) return { problem: error };
    throw error;
  }
}

interface WrittenBatch {
  mails: unknown[];
  defaults: Fields;
}

function keyProblems(key: string | undefined): FieldProblem[] {
  const problem = key === undefined ? undefined : batchKeyText.safeParse(key).error?.issues.at(-1)?.message;
  return problem === undefined ? [] : [{ field: "Idempotency-Key", code: "wrong_format", message: problem }];
}

/** A default counts in every mail that uses it: a body of 1 MiB could stand for 100 MiB of mail. */
function requireSize({ mails, defaults }: WrittenBatch, bodyBytes: number): number {
  const sizes = Object.entries(defaults).map(([field, value]) => ({ field, bytes: jsonBytes(value) }));
  let bytes = bodyBytes - sizes.reduce((sum, size) => sum + size.bytes, 0);
  let entries = 0;
  for (const mail of mails) {
    const own = isFields(mail) ? mail : {};
    for (const size of sizes) if (!Object.hasOwn(own, size.field)) bytes += size.bytes;
    entries += countEntries({ ...defaults, ...own });
  }
  if (bytes > maxPlainBytes) throw tooLarge(bytes);
  if (entries > maxEntries) throw invalidRequest([tooManyEntries]);
  return bytes;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function countEntries({ to, cc, bcc }: Fields): number {
  return [to, cc, bcc].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

function tooLarge(bytes: number): AppError {
  const size = (bytes / 1024 / 1024).toFixed(1);
  return new AppError(
    "PAYLOAD_TOO_LARGE",
    `Written out with their defaults, the mails of this batch have ${size} MiB together; the limit is 8 MiB. Send them in smaller batches.`,
  );
}

const tooManyEntries: FieldProblem = {
  field: "mails",
  code: "too_large",
  message: `have more than ${maxEntries} entries in to, cc and bcc together, with their defaults`,
};

async function parseMails(
  { mails, defaults }: WrittenBatch,
  batchKey: string | undefined,
  limits: SendLimits,
): Promise<ParsedMail[]> {
  const parsed: ParsedMail[] = [];
  for (const [index, mail] of mails.entries()) {
    if (index > 0 && index % mailsWithoutPause === 0) await setImmediate();
    parsed.push(parseMail({ mail, index, defaults, batchKey, limits }));
  }
  return parsed;
}

interface WrittenMail {
  mail: unknown;
  index: number;
  defaults: Fields;
  batchKey: string | undefined;
  limits: SendLimits;
}

function parseMail({ mail, index, defaults, batchKey, limits }: WrittenMail): ParsedMail {
  const path = `mails[${index}]`;
  if (!isFields(mail)) {
    return { problem: invalidRequest([{ field: path, code: "wrong_type", message: "must be a JSON object" }]) };
  }
  if (Object.hasOwn(defaults, "idempotency_key")) return { problem: invalidRequest([sharedKey]) };
  const key = mail.idempotency_key ?? (batchKey === undefined ? undefined : `${batchKey}/${index}`);
  const merged = { ...defaults, ...mail, ...(key !== undefined && { idempotency_key: key }) };
  const parsed = parseSendRequest(merged, undefined, limits);
  if ("request" in parsed) return parsed;
  const isDefault = (field: string) => Object.hasOwn(defaults, field) && !Object.hasOwn(mail, field);
  const locate = (field: string) => {
    if (field === "body") return path;
    const [name = field] = /^[^.[]+/.exec(field) ?? [];
    return `${isDefault(name) ? "defaults" : path}.${field}`;
  };
  return { problem: invalidRequest(parsed.problems.map((problem) => ({ ...problem, field: locate(problem.field) }))) };
}

const sharedKey: FieldProblem = {
  field: "defaults.idempotency_key",
  code: "unknown_field",
  message: "is not a known field: each mail needs a key of its own; use the header Idempotency-Key for all of them",
};

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
