import { z } from "zod";
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
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe("Present when the request had headers")
      .meta({ example: { "X-Order-Id": "1001" } }),
  })
  .meta({ id: "SendContent", description: "What was sent" });

export function toContentResponse({ replyTo, headers, ...content }: ReadContent): z.input<typeof contentResponse> {
  return {
    ...content,
    reply_to: replyTo,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
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
  })
  .meta({ id: "ContentView", description: "A one-use address that shows the mail" });
