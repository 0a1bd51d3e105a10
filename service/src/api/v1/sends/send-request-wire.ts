import { z } from "zod";
import type { FieldProblem } from "../../../errors.ts";
import {
  type Address,
  type AddressProblem,
  controlCharacter,
  parseAddress,
  parseMailbox,
} from "../../../mail-address.ts";
import type { SendRequest } from "../../../sends/send-request.ts";
import { fieldProblems } from "../../http/validation-error.ts";

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
      .describe("Recipients; at most 50 in `to`, `cc` and `bcc` together")
      .meta({ example: ["jane@example.com"] }),
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
    cc: z.array(recipient).nullish(),
    bcc: z.array(recipient).nullish(),
    reply_to: mailbox.nullish().describe("`local@domain` or `Name <local@domain>`"),
    idempotency_key: idempotencyKeyText
      .nullish()
      .describe(
        "Makes the request safe to repeat: the same key with the same payload creates one send. A key never expires",
      ),
  })
  .meta({ id: "SendRequest", anyOf: [{ required: ["html"] }, { required: ["text"] }] });

type ParsedSend = { request: SendRequest } | { problems: FieldProblem[] };

/** Validates the payload and returns all its problems together. */
export function parseSendRequest(payload: unknown, headerKey: string | undefined): ParsedSend {
  // Counted first, because validating a million addresses or field names would take seconds.
  const countProblems = [...fieldCountProblems(payload), ...recipientProblems(payload)];
  if (countProblems.length > 0) return { problems: countProblems };
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
    idempotencyKey: data.idempotency_key ?? headerKey,
    given: givenPayload(payload),
  };
}

/** Returns the strings of a valid payload as the caller wrote them. */
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
  const message = `has ${count} recipients together with cc and bcc; one send takes at most ${maxRecipients}`;
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
    : [{ field, code: "contradiction", message: "differs from idempotency_key; send only one of them" }];
}

function fieldOf(payload: unknown, field: string): unknown {
  return typeof payload === "object" && payload !== null && Object.hasOwn(payload, field)
    ? (payload as Record<string, unknown>)[field]
    : undefined;
}
