import { z } from "zod";
import { canonicalJson } from "../../../canonical-json.ts";
import type { FieldProblem } from "../../../errors.ts";
import { parseIsoTime } from "../../../iso-time.ts";
import {
  type Address,
  type AddressProblem,
  controlCharacter,
  parseAddress,
  parseMailbox,
} from "../../../mail-address.ts";
import type { SendRequest } from "../../../sends/send-request.ts";
import { fieldProblems } from "../../http/validation-error.ts";
import {
  attachmentSizeProblems,
  contentIdProblems,
  givenAttachments,
  mailAttachments,
  sizesOf,
} from "./attachments-wire.ts";
import { mailHeaders, mailMetadata, mailTags } from "./mail-extras-wire.ts";
import { expiresAt, scheduledAt, timeProblems, ttlSeconds } from "./mail-times-wire.ts";

const maxFields = 50;
const maxRecipients = 50;
/** Bounds the time to parse spellings of the same recipients: 10,000 of them would block all other requests for 0.3 s. */
const maxEntries = 1000;
const maxSubjectCharacters = 998;
const maxBodyBytes = 2 * 1024 * 1024;

function addressField<Parsed extends object>(parse: (text: string) => Parsed | AddressProblem) {
  return z.string().transform((text, context): Parsed => {
    const parsed = parse(text);
    if (!("problem" in parsed)) return parsed;
    context.addIssue(parsed.problem);
    return z.NEVER;
  });
}

const recipient = addressField(parseAddress);
const mailbox = addressField(parseMailbox);
const body = z.string().refine((text) => text.length * 3 <= maxBodyBytes || Buffer.byteLength(text) <= maxBodyBytes, {
  error: "must be at most 2 MiB long",
});

export const idempotencyKeyText = z
  .string()
  .regex(/^[ -~]{1,255}$/, { error: "must be 1 to 255 printable ASCII characters" });

export const sendBody = z
  .strictObject({
    from: mailbox
      .describe("`local@domain` or `Name <local@domain>`; the domain must be verified in the account")
      .meta({ example: "Acme <hello@sandbox.test>" }),
    to: z
      .array(recipient)
      .min(1)
      .describe("Recipients; at most 50 different ones in `to`, `cc` and `bcc` together")
      .meta({ example: ["delivered@sandbox.test"] }),
    subject: z
      .string()
      .min(1)
      .refine((text) => text.length <= maxSubjectCharacters || [...text].length <= maxSubjectCharacters, {
        error: `must be at most ${maxSubjectCharacters} characters long`,
      })
      .refine((text) => !controlCharacter.test(text), {
        error: "contains a line break or another control character; remove it",
      })
      .describe("1 to 998 characters")
      .meta({ example: "Your receipt" }),
    html: body.nullish().describe("HTML body, up to 2 MiB. At least one of `html` and `text` is required"),
    text: body.nullish().describe("Plain text body, up to 2 MiB").meta({ example: "Thank you for your order." }),
    cc: z.array(recipient).nullish().describe("Further recipients, visible to all"),
    bcc: z.array(recipient).nullish().describe("Further recipients, in no header of the mail"),
    reply_to: mailbox.nullish().describe("`local@domain` or `Name <local@domain>`"),
    headers: mailHeaders,
    tags: mailTags,
    metadata: mailMetadata,
    attachments: mailAttachments,
    expires_at: expiresAt,
    ttl_seconds: ttlSeconds,
    scheduled_at: scheduledAt,
    idempotency_key: idempotencyKeyText
      .nullish()
      .describe(
        "Makes the request safe to repeat: the same key with the same payload creates one send. A key lasts as long as the record of its send",
      ),
  })
  .meta({
    id: "SendRequest",
    description: "An email. A test key can send the example as it stands",
    anyOf: ["html", "text"].map((field) => ({
      required: [field],
      properties: { [field]: { type: "string", minLength: 1 } },
    })),
    example: {
      from: "Acme <hello@sandbox.test>",
      to: ["delivered@sandbox.test"],
      subject: "Your receipt",
      text: "Thank you for your order.",
    },
  });

/** Names the header of the document; the handlers read it themselves. */
export const idempotencyHeaders = z.object({
  "Idempotency-Key": idempotencyKeyText
    .optional()
    .describe("Instead of `idempotency_key` in the body. If both are present, they must be equal")
    .meta({ example: "receipt-of-order-1001" }),
});

export type ParsedSend = { request: SendRequest } | { problems: FieldProblem[] };

export interface SendLimits {
  /** Of all attachments of a mail, decoded. */
  maxAttachmentBytes: number;
}

/** Validates the payload and returns all its problems together. */
export function parseSendRequest(payload: unknown, headerKey: string | undefined, limits: SendLimits): ParsedSend {
  // Counted first, because validating a million addresses or field names would take seconds.
  const countProblems = [...fieldCountProblems(payload), ...recipientProblems(payload)];
  if (countProblems.length > 0) return { problems: countProblems };
  const result = sendBody.safeParse(payload, { reportInput: true });
  const problems = [
    ...(result.success ? [] : fieldProblems(sendBody, result.error.issues)),
    ...sizeProblems(payload, result.error?.issues ?? [], limits),
    ...contentIdProblems(fieldOf(payload, "attachments")),
    ...bodyProblems(payload),
    ...(isObject(payload) ? timeProblems(payload) : []),
    ...keyProblems(payload, headerKey),
  ];
  return result.success && problems.length === 0
    ? { request: toSendRequest(result.data, payload, headerKey) }
    : { problems };
}

/** A file or body with a problem of its own does not count: nobody knows its size once the problem is fixed. */
function sizeProblems(payload: unknown, issues: z.core.$ZodIssue[], limits: SendLimits): FieldProblem[] {
  const isBroken = (...path: (string | number)[]) =>
    issues.some((issue) => path.every((part, depth) => issue.path[depth] === part));
  const attachments = sizesOf(fieldOf(payload, "attachments"), (index) => isBroken("attachments", index, "content"));
  const bodies = ["html", "text"].map((field) => {
    const text = fieldOf(payload, field);
    return typeof text === "string" && !isBroken(field) ? text : undefined;
  });
  return attachmentSizeProblems({ attachments, bodies, ...limits });
}

function toSendRequest(data: z.infer<typeof sendBody>, payload: unknown, headerKey: string | undefined): SendRequest {
  const seen = new Set<string>();
  // An address gets one email, even when the request contains it several times or in several spellings.
  const unseen = (list: Address[] | null | undefined) =>
    (list ?? []).filter(({ key }) => !seen.has(key) && seen.add(key));
  const [to, cc, bcc] = [unseen(data.to), unseen(data.cc), unseen(data.bcc)];
  return {
    from: data.from,
    to,
    cc,
    bcc,
    replyTo: data.reply_to ?? undefined,
    subject: data.subject,
    html: data.html ?? undefined,
    text: data.text ?? undefined,
    headers: data.headers ?? [],
    tags: data.tags ?? [],
    // Empty equals absent.
    metadata: data.metadata === "{}" ? undefined : (data.metadata ?? undefined),
    attachments: data.attachments ?? [],
    expiresAt: data.expires_at ? parseIsoTime(data.expires_at) : undefined,
    ttlSeconds: data.ttl_seconds ?? undefined,
    scheduledAt: data.scheduled_at ? parseIsoTime(data.scheduled_at) : undefined,
    idempotencyKey: data.idempotency_key ?? headerKey,
    given: { ...givenPayload(payload), attachments: givenAttachments(data.attachments ?? []) },
  };
}

/** Returns the strings of a valid payload as the caller wrote them, and its objects in canonical form. Empty equals absent. */
function givenPayload(payload: unknown): SendRequest["given"] {
  const {
    from,
    to,
    subject,
    html,
    text,
    cc,
    bcc,
    reply_to,
    headers,
    tags,
    metadata,
    expires_at,
    ttl_seconds,
    scheduled_at,
  } = payload as z.input<typeof sendBody>;
  return {
    from,
    to,
    subject,
    html: html ?? undefined,
    text: text ?? undefined,
    cc: cc ?? undefined,
    bcc: bcc ?? undefined,
    reply_to: reply_to ?? undefined,
    headers: canonicalUnlessEmpty(headers),
    tags: tags ?? undefined,
    metadata: canonicalUnlessEmpty(metadata),
    expires_at: expires_at ?? undefined,
    ttl_seconds: ttl_seconds?.toString(),
    scheduled_at: scheduled_at ?? undefined,
  };
}

function canonicalUnlessEmpty(value: Record<string, unknown> | null | undefined): string | undefined {
  return value === null || value === undefined || Object.keys(value).length === 0 ? undefined : canonicalJson(value);
}

function fieldCountProblems(payload: unknown): FieldProblem[] {
  if (!isObject(payload) || Object.keys(payload).length <= maxFields) return [];
  return [{ field: "body", code: "too_large", message: `has more than ${maxFields} fields` }];
}

/** An address counts once in any spelling, because it gets one email. Parsing stops at the limit, so a long list costs little. */
function recipientProblems(payload: unknown): FieldProblem[] {
  const lists = ["to", "cc", "bcc"].map((field) => fieldOf(payload, field)).filter(Array.isArray);
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  if (count <= maxRecipients) return [];
  if (count > maxEntries) return [tooManyEntries];
  const different = new Set<string>();
  for (const entry of new Set<unknown>(lists.flat())) {
    different.add(mergedAs(entry));
    if (different.size > maxRecipients) return [tooManyRecipients];
  }
  return [];
}

const tooManyEntries: FieldProblem = {
  field: "to",
  code: "too_large",
  message: `has more than ${maxEntries} entries together with cc and bcc; one send takes at most ${maxRecipients} different recipients`,
};

const tooManyRecipients: FieldProblem = {
  field: "to",
  code: "too_large",
  message: `has more than ${maxRecipients} different recipients together with cc and bcc; one send takes at most ${maxRecipients}`,
};

function mergedAs(entry: unknown): string {
  if (typeof entry !== "string") return typeof entry;
  const address = parseAddress(entry);
  return "problem" in address ? entry : address.key;
}

function bodyProblems(payload: unknown): FieldProblem[] {
  const [html, text] = [fieldOf(payload, "html"), fieldOf(payload, "text")];
  const isAbsent = (value: unknown) => value === undefined || value === null || value === "";
  if (!isAbsent(html) || !isAbsent(text) || !isObject(payload)) return [];
  return [{ field: "html", code: "required", message: "is required when text is missing or empty" }];
}

function keyProblems(payload: unknown, headerKey: string | undefined): FieldProblem[] {
  if (headerKey === undefined) return [];
  const field = "Idempotency-Key";
  const problem = idempotencyKeyText.safeParse(headerKey).error?.issues[0]?.message;
  if (problem !== undefined) return [{ field, code: "wrong_format", message: problem }];
  const key = fieldOf(payload, "idempotency_key") ?? headerKey;
  return key === headerKey
    ? []
    : [{ field, code: "contradiction", message: "differs from idempotency_key; send only one of them" }];
}

function fieldOf(payload: unknown, field: string): unknown {
  return isObject(payload) && Object.hasOwn(payload, field) ? payload[field] : undefined;
}

function isObject(payload: unknown): payload is Record<string, unknown> {
  return typeof payload === "object" && payload !== null && !Array.isArray(payload);
}
