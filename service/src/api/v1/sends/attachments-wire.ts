import { hash } from "node:crypto";
import { z } from "zod";
import type { Attachment } from "../../../attachments/attachment.ts";
import { fileNameProblem } from "../../../attachments/file-name.ts";
import type { FieldProblem } from "../../../errors.ts";

const maxAttachments = 50;
/** SES accepts no longer content type and no longer content id. */
const maxTypeCharacters = 78;
const defaultType = "application/octet-stream";

const token = "[A-Za-z0-9!#$&^_.+-]+";
const mediaType = new RegExp(`^${token}/${token}(; ?${token}=(${token}|"[ !#-\\[\\]-~]*"))*$`);

const fileName = z.string().superRefine((name, context) => {
  const message = fileNameProblem(name);
  if (message !== undefined) context.addIssue({ code: "custom", message, input: name });
});

const contentType = z
  .string()
  .max(maxTypeCharacters)
  .regex(mediaType, { error: "is not a media type, such as application/pdf" })
  .refine((type) => !/^(multipart|message)\//i.test(type), {
    error: "must not be multipart/ or message/: such a part would not be a file",
  });

const contentId = z.string().regex(/^[A-Za-z0-9._%+-]+(@[A-Za-z0-9.-]+)?$/, {
  error: "must have letters, digits and . _ % + - only, with at most one @, and no angle brackets",
});

const attachment = z.strictObject({
  filename: fileName
    .describe("The name that recipients see, at most 255 characters, without a path")
    .meta({ example: "receipt.pdf" }),
  content: z
    .string()
    .transform((text, context): Buffer => {
      const bytes = decodeBase64(text);
      if (bytes !== undefined) return bytes;
      context.addIssue({
        code: "custom",
        message: "is not base64 (the standard alphabet, padded, on one line)",
        input: "",
      });
      return z.NEVER;
    })
    .describe("The file in base64, padded and without line breaks")
    .meta({ example: "SGVsbG8=" }),
  content_type: contentType
    .nullish()
    .describe(`The media type, \`${defaultType}\` by default`)
    .meta({ example: "application/pdf" }),
  content_id: contentId
    .max(maxTypeCharacters)
    .nullish()
    .describe("For an image inside of the HTML, which names it as `cid:logo`")
    .meta({ example: "logo" }),
});

export const mailAttachments = z
  .array(attachment)
  .max(maxAttachments)
  .transform((list): Attachment[] => list.map(toAttachment))
  .nullish()
  .describe(
    `Up to ${maxAttachments} files. All of them together may have 10 MiB, decoded, unless the operator has set another limit; the mail ` +
      "as SES composes it may have 40 MB",
  );

/** Of the payload as it was written, so that they are reported beside problems of other fields. */
export function contentIdProblems(attachments: unknown): FieldProblem[] {
  if (!Array.isArray(attachments)) return [];
  const ids = attachments
    .slice(0, maxAttachments)
    .map((one: { content_id?: unknown } | null | undefined) => one?.content_id);
  return ids.flatMap((id, index) =>
    typeof id === "string" && ids.indexOf(id) < index
      ? [{ field: `attachments[${index}].content_id`, code: "invalid", message: "is there twice" }]
      : [],
  );
}

function toAttachment({ filename, content, content_type, content_id }: z.output<typeof attachment>): Attachment {
  return {
    filename,
    contentType: content_type ?? defaultType,
    contentId: content_id ?? undefined,
    size: content.length,
    sha256: hash("sha256", content, "hex"),
    bytes: content,
  };
}

/** The size of each attachment of the payload as it was written, without those whose content has a problem of its own. */
export function sizesOf(attachments: unknown, isBroken: (index: number) => boolean): { size: number }[] {
  if (!Array.isArray(attachments)) return [];
  return attachments.flatMap((one: { content?: unknown } | null | undefined, index) =>
    typeof one?.content === "string" && !isBroken(index) ? [{ size: decodedBytes(one.content) }] : [],
  );
}

/** Of base64 that is padded. */
function decodedBytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  return Math.floor(text.length / 4) * 3 - padding;
}

/** Node skips what is not base64, so only the length of the result shows it. It also reads the alphabet for addresses. */
function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes("-") || text.includes("_")) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === decodedBytes(text) ? bytes : undefined;
}

/** SES composes the mail: attachments become longer by a third and their line breaks, bodies up to 3.13 times as long. */
const maxComposedBytes = 40_000_000;
const attachmentGrowth = 1.37;
const bodyGrowth = 3.13;
const partOverhead = 1_000;

interface Sized {
  attachments: Pick<Attachment, "size">[];
  bodies: (string | null | undefined)[];
  maxAttachmentBytes: number;
}

/** Problems that no single attachment has. */
export function attachmentSizeProblems({ attachments, bodies, maxAttachmentBytes }: Sized): FieldProblem[] {
  if (attachments.length === 0) return [];
  const total = attachments.reduce((sum, { size }) => sum + size, 0);
  const problem = (message: string): FieldProblem => ({ field: "attachments", code: "too_large", message });
  if (total > maxAttachmentBytes) {
    return [
      problem(`have ${total} bytes together; this installation allows ${maxAttachmentBytes}. Send a link instead`),
    ];
  }
  const bodyBytes = bodies.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
  const composed = attachmentGrowth * total + bodyGrowth * bodyBytes + partOverhead * (attachments.length + 2);
  if (composed <= maxComposedBytes) return [];
  return [
    problem("are too large together with html and text: encoded, the mail may have more than 40 MB, which SES refuses"),
  ];
}

/** For the comparison with an earlier request: the same files in the same order, however they were encoded. */
export function givenAttachments(attachments: Attachment[]): string | undefined {
  if (attachments.length === 0) return undefined;
  return JSON.stringify(
    attachments.map(({ filename, contentType: type, contentId: id, sha256 }) => [filename, type, id ?? null, sha256]),
  );
}
