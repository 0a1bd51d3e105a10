import { z } from "zod";
import type { AttachmentFacts } from "../../../attachments/attachment.ts";
import type { ReadContent } from "../../../sends/read-content.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { wireMode } from "../list-wire.ts";

const addresses = z.array(z.string());

export const contentResponse = z
  .object({
    id: z.uuid(),
    mode: wireMode,
    from: z.string().describe("As the caller wrote it").meta({ example: "Acme <orders@acme.io>" }),
    to: addresses.describe(
      "As the caller wrote them, including suppressed recipients; each address once, in its first list",
    ),
    cc: addresses,
    bcc: addresses,
    reply_to: z.string().nullable(),
    subject: z.string(),
    html: z.string().nullable().describe("As accepted. It may contain anything: never show it outside of a sandbox"),
    text: z.string().nullable(),
    attachments: z
      .array(
        z.object({
          filename: z.string().meta({ example: "receipt.pdf" }),
          content_type: z.string().meta({ example: "application/pdf" }),
          content_id: z.string().nullable().describe("Of an image inside of the HTML"),
          size: z.int().describe("Bytes").meta({ example: 48_213 }),
          sha256: z.string().describe("Of the bytes, as hexadecimal digits"),
          url: z
            .string()
            .describe("The path that returns the bytes, with the same credential")
            .meta({ example: "/api/v1/send/019a9000-0000-7000-8000-000000000002/content/attachments/0" }),
        }),
      )
      .optional()
      .describe("Present when the request had attachments"),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe("Present when the request had headers")
      .meta({ example: { "X-Order-Id": "1001" } }),
  })
  .meta({ id: "SendContent", description: "What was sent" });

export function toContentResponse({
  replyTo,
  headers,
  attachments,
  ...content
}: ReadContent): z.input<typeof contentResponse> {
  return {
    ...content,
    reply_to: replyTo,
    ...(attachments.length > 0 && {
      attachments: attachments.map((facts, number) => toAttachment(content.id, facts, number)),
    }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
  };
}

function toAttachment(id: string, { filename, contentType, contentId, size, sha256 }: AttachmentFacts, number: number) {
  return {
    filename,
    content_type: contentType,
    content_id: contentId ?? null,
    size,
    sha256,
    url: `/api/v1/send/${id}/content/attachments/${number}`,
  };
}

export const contentViewBody = z
  .strictObject({
    images: z
      .boolean()
      .optional()
      .describe("Whether the browser loads `https:` images. Their servers see that somebody looks"),
  })
  .meta({ example: { images: false } });

export const contentViewResponse = z
  .object({
    url: z
      .string()
      .describe("A path of this host name for the `src` of a frame. It works once, and without an Authorization header")
      .meta({ example: "/api/v1/content-views/AAq2V0bXBsZXRvbmUtdXNlLWFuZC1vbmUtbWludXRlLW5vdA" }),
    expires_at: wireTimestamp,
    has_attachments: z.boolean().describe("Whether `GET /api/v1/send/{id}/content` lists attachments"),
  })
  .meta({ id: "ContentView", description: "A one-use address that shows the mail" });
