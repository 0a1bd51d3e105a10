import { z } from "zod";
import { canonicalJson } from "../../../canonical-json.ts";
import type { CustomHeader } from "../../../provider/email-provider.ts";

const maxHeaders = 15;
/** SES accepts 995 characters according to its newest description and 870 according to an older one. */
const maxHeaderValue = 870;
const maxHeaderName = 126;
const maxTags = 10;
const maxMetadataBytes = 4096;
/** Bounds the stack of the functions that follow the levels. */
const maxMetadataDepth = 16;

const allowedHeaders = ["list-unsubscribe", "list-unsubscribe-post", "in-reply-to", "references"];
/** They control SES or Postern. */
const reservedPrefixes = ["x-ses-", "x-amz", "x-postern-"];

/** Undefined: the header may be set. */
function headerNameProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[!-9;-~]+$/.test(name) || name.length > maxHeaderName)
    return `is not a header name: use at most ${maxHeaderName} printable ASCII characters without spaces and colons`;
  if (reservedPrefixes.some((prefix) => lower.startsWith(prefix)))
    return "is reserved: headers that begin with X-SES-, X-Amz or X-Postern- cannot be set";
  if (allowedHeaders.includes(lower) || /^x-./.test(lower)) return undefined;
  return "cannot be set; allowed are List-Unsubscribe, List-Unsubscribe-Post, In-Reply-To, References and names that begin with X-";
}

export const mailHeaders = z
  .record(z.string(), z.unknown())
  .transform((headers, context): CustomHeader[] => {
    const names = Object.keys(headers);
    const report = (name: string, message: string) =>
      context.addIssue({ code: "custom", message, path: [printableName(name)], input: headers });
    if (names.length > maxHeaders) {
      context.addIssue({ code: "custom", message: `must have at most ${maxHeaders} headers`, input: headers });
      return z.NEVER;
    }
    const seen = new Set<string>();
    for (const name of names) {
      const problem = headerNameProblem(name) ?? headerValueProblem(headers[name]);
      if (problem !== undefined) report(name, problem);
      else if (seen.has(name.toLowerCase())) report(name, "is there twice, in different spellings");
      seen.add(name.toLowerCase());
    }
    return names.map((name) => ({ name, value: String(headers[name]) }));
  })
  .meta({ additionalProperties: { type: "string" } })
  .nullish()
  .describe(
    "Headers of the mail: `List-Unsubscribe`, `List-Unsubscribe-Post`, `In-Reply-To`, `References` and names that begin with `X-`, except " +
      "`X-SES-`, `X-Amz` and `X-Postern-`. At most 15, each value at most 870 printable ASCII characters",
  )
  .meta({ example: { "X-Order-Id": "1001" } });

function headerValueProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value.trim() === "") return "must not be empty";
  if (!/^[ -~]*$/.test(value)) return "must have printable ASCII characters only, without line breaks";
  if (value.length > maxHeaderValue) return `must have at most ${maxHeaderValue} characters`;
  return undefined;
}

/** A problem names the field, which the caller chose. */
function printableName(name: string): string {
  return name.replaceAll(/[^!-~]/g, "?").slice(0, 64);
}

export const tagText = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: "must be 1 to 64 of the characters A-Z, a-z, 0-9, _, . and -" });

export const mailTags = z
  .array(tagText)
  .max(maxTags)
  .transform((tags) => [...new Set(tags)])
  .nullish()
  .describe("Names to find and count sends by, at most 10 of 64 characters. They stay in Postern")
  .meta({ example: ["receipt"] });

/** Returns the canonical text. */
export const mailMetadata = z
  .record(z.string(), z.unknown())
  .transform((metadata, context): string => {
    if (isDeeper(metadata, maxMetadataDepth)) {
      context.addIssue({
        code: "custom",
        message: `is nested more than ${maxMetadataDepth} levels deep`,
        input: metadata,
      });
      return z.NEVER;
    }
    const text = canonicalJson(metadata);
    if (Buffer.byteLength(text) > maxMetadataBytes)
      context.addIssue({
        code: "custom",
        message: `must have at most ${maxMetadataBytes} bytes as JSON`,
        input: metadata,
      });
    if (hasUnsafeNumber(metadata))
      context.addIssue({
        code: "custom",
        message: "has a number that JSON readers would change; write it as a string",
        input: metadata,
      });
    return text;
  })
  .nullish()
  .describe("Your own data about the send, a JSON object of at most 4,096 bytes. It comes back wherever the send does")
  .meta({ example: { order: "1001" } });

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((field) => isDeeper(field, levels - 1));
}

function hasUnsafeNumber(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnsafeNumber);
}
