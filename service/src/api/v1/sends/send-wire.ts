import { z } from "zod";
import type { Accepted } from "../../../accept/accept-send.ts";
import type { FieldProblem } from "../../../errors.ts";
import {
  type Address,
  type AddressProblem,
  controlCharacter,
  parseAddress,
  parseMailbox,
} from "../../../mail-address.ts";
import type { SendRequest } from "../../../sends/send-request.ts";
import { type SendRecord, sendStatuses } from "../../../sends/send-store.ts";
import { fieldProblems } from "../../http/field-problems.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

const maxFields = 50;
const maxRecipients = 50;
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
      .meta({ example: "Acme <hello@acme.io>" }),
    to: z
      .array(recipient)
      .min(1)
      .describe("Recipients; at most 50 over `to`, `cc` and `bcc`")
      .meta({ example: ["jane@example.com"] }),
    subject: z
      .string()
      .min(1)
      .refine((text) => text.length <= maxSubjectCharacters || [...text].length <= maxSubjectCharacters, {
        error: `must be at most ${maxSubjectCharacters} characters long`,
      })
      .refine((text) => !controlCharacter.test(text), {
        error: "has a line break or another control character; remove it",
      })
      .describe("1 to 998 characters")
      .meta({ example: "Your receipt" }),
    html: body.nullish().describe("HTML body, up to 2 MiB. At least one of `html` and `text` is required"),
    text: body.nullish().describe("Plain text body, up to 2 MiB").meta({ example: "Thank you for your order." }),
    cc: z.array(recipient).nullish(),
    bcc: z.array(recipient).nullish(),
    reply_to: mailbox.nullish().describe("`local@domain` or `Name <local@domain>`"),
    idempotency_key: idempotencyKeyText
      .nullish()
      .describe("Makes the request safe to repeat: the same key with the same payload creates one send. Never expires"),
  })
  .meta({ id: "SendRequest", anyOf: [{ required: ["html"] }, { required: ["text"] }] });

const sendStatus = z.enum(sendStatuses);

export const acceptedAnswer = z
  .object({
    id: z.uuid(),
    status: sendStatus.describe("`queued`, or `suppressed` when every recipient is on the suppression list"),
    idempotency_key: z.string().describe("The key used; generated when none was given"),
    queued_at: wireTimestamp,
    idempotent: z
      .boolean()
      .describe("True when this repeats the answer to an earlier request and nothing new was created"),
    suppressed_recipients: z.array(z.string()).optional().describe("Present only when somebody was filtered out"),
  })
  .meta({ id: "AcceptedSend", description: "The send is stored and will be handed over" });

export const sendRecord = z
  .object({
    id: z.uuid(),
    status: sendStatus,
    from_address: z.string(),
    to_addresses: z.array(z.string()).describe("to, cc and bcc in this order, filtered ones included"),
    subject: z.string(),
    queued_at: wireTimestamp,
    sent_at: wireTimestamp.nullable().describe("Null until handed to the provider"),
    provider_message_id: z.string().nullable().describe("Null until handed to the provider"),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
  })
  .meta({ id: "SendRecord", description: "What became of a send" });

type Reading = { request: SendRequest } | { problems: FieldProblem[] };

/** Checks the payload and reports every problem of it at once. */
export function readSendRequest(payload: unknown, headerKey: string | undefined): Reading {
  // Counted first: reading a million addresses or names of fields would take seconds, and is never right.
  const excess = [...fieldCountProblems(payload), ...recipientProblems(payload)];
  if (excess.length > 0) return { problems: excess };
  const result = sendBody.safeParse(payload, { reportInput: true });
  const problems = [
    ...(result.success ? [] : fieldProblems(sendBody, result.error.issues)),
    ...bodyProblems(payload),
    ...keyProblems(payload, headerKey),
  ];
  return result.success && problems.length === 0
    ? { request: toSendRequest(result.data, payload, headerKey) }
    : { problems };
}

function toSendRequest(data: z.infer<typeof sendBody>, payload: unknown, headerKey: string | undefined): SendRequest {
  const seen = new Set<string>();
  // One mail to an address, however often and however written it stands in the request.
  const once = (list: Address[] | null | undefined) =>
    (list ?? []).filter(({ key }) => !seen.has(key) && seen.add(key));
  const [to, cc, bcc] = [once(data.to), once(data.cc), once(data.bcc)];
  return {
    from: data.from,
    to,
    cc,
    bcc,
    replyTo: data.reply_to ?? undefined,
    subject: data.subject,
    html: data.html ?? undefined,
    text: data.text ?? undefined,
    idempotencyKey: data.idempotency_key ?? headerKey,
    given: givenPayload(payload),
  };
}

/** The strings of a payload that was found valid. */
function givenPayload(payload: unknown): SendRequest["given"] {
  const { from, to, subject, html, text, cc, bcc, reply_to } = payload as z.input<typeof sendBody>;
  return {
    from,
    to,
    subject,
    html: html ?? undefined,
    text: text ?? undefined,
    cc: cc ?? undefined,
    bcc: bcc ?? undefined,
    reply_to: reply_to ?? undefined,
  };
}

function fieldCountProblems(payload: unknown): FieldProblem[] {
  if (typeof payload !== "object" || payload === null) return [];
  if (Object.keys(payload).length <= maxFields) return [];
  return [{ field: "body", code: "too_large", message: `has more than ${maxFields} fields` }];
}

function recipientProblems(payload: unknown): FieldProblem[] {
  const lists = ["to", "cc", "bcc"].map((field) => fieldOf(payload, field)).filter(Array.isArray);
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  if (count <= maxRecipients) return [];
  const message = `has ${count} recipients with cc and bcc; at most ${maxRecipients} fit in one send`;
  return [{ field: "to", code: "too_large", message }];
}

function bodyProblems(payload: unknown): FieldProblem[] {
  const [html, text] = [fieldOf(payload, "html"), fieldOf(payload, "text")];
  const isAbsent = (value: unknown) => value === undefined || value === null || value === "";
  if (!isAbsent(html) || !isAbsent(text) || typeof payload !== "object" || payload === null) return [];
  return [{ field: "html", code: "required", message: "or text is required, and must not be empty" }];
}

function keyProblems(payload: unknown, headerKey: string | undefined): FieldProblem[] {
  if (headerKey === undefined) return [];
  const field = "Idempotency-Key";
  const problem = idempotencyKeyText.safeParse(headerKey).error?.issues[0]?.message;
  if (problem !== undefined) return [{ field, code: "wrong_format", message: problem }];
  const key = fieldOf(payload, "idempotency_key") ?? headerKey;
  return key === headerKey
    ? []
    : [{ field, code: "contradiction", message: "differs from idempotency_key; give one of them" }];
}

function fieldOf(payload: unknown, field: string): unknown {
  return typeof payload === "object" && payload !== null && Object.hasOwn(payload, field)
    ? (payload as Record<string, unknown>)[field]
    : undefined;
}

export function toAcceptedAnswer(accepted: Accepted): z.infer<typeof acceptedAnswer> {
  return {
    id: accepted.id,
    status: accepted.status,
    idempotency_key: accepted.idempotencyKey,
    queued_at: accepted.queuedAt,
    idempotent: accepted.isRepeat,
    ...(accepted.suppressedRecipients.length > 0 && { suppressed_recipients: accepted.suppressedRecipients }),
  };
}

export function toSendRecord(send: SendRecord): z.input<typeof sendRecord> {
  return {
    id: send.id,
    status: send.status,
    from_address: send.fromAddress,
    to_addresses: send.toAddresses,
    subject: send.subject,
    queued_at: send.queuedAt,
    sent_at: send.sentAt,
    provider_message_id: send.providerMessageId,
    error_code: send.errorCode,
    error_message: send.errorMessage,
  };
}
