import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { onSend, replaceStatus } from "./change-answer.ts";

/** Faults of attachments. */
export const attachmentCases: MutationCase[] = [
  {
    fault: "the content has no hashes of attachments",
    broken: ["10.5-01"],
    unaffected: ["10.5-02"],
    change: ({ path, body }) => {
      if (path.endsWith("/content")) for (const attachment of body.attachments ?? []) delete attachment.sha256;
    },
  },
  {
    fault: "browsers show attachments on the origin of the API",
    broken: ["10.5-02"],
    unaffected: ["10.5-01"],
    change: onDownload((exchange) => {
      exchange.contentType = "text/html";
    }),
  },
  {
    fault: "the provider receives another byte",
    broken: ["10.5-03"],
    unaffected: ["2.1-26"],
    isLive: true,
    rewriteBody: (body) => body.replace('"AAECAwQF', '"AQECAwQF'),
  },
  {
    fault: "the path of a file name is removed silently",
    broken: ["10.5-04"],
    unaffected: ["10.5-05"],
    rewriteBody: (body) => body.replace('"../note.txt"', '"note.txt"'),
  },
  {
    fault: "base64 without padding is accepted",
    broken: ["10.5-05"],
    unaffected: ["10.5-04"],
    rewriteBody: (body) => body.replace('"YQ"', '"YQ=="'),
  },
  {
    fault: "an attachment may be a mail of its own",
    broken: ["10.5-06"],
    unaffected: ["10.5-07"],
    rewriteBody: (body) => body.replace('"message/rfc822"', '"application/octet-stream"'),
  },
  {
    fault: "angle brackets of a content_id are removed silently",
    broken: ["10.5-07"],
    unaffected: ["10.5-06"],
    rewriteBody: (body) => body.replace('"<logo>"', '"logo"'),
  },
  {
    fault: "the 51st attachment is left out silently",
    broken: ["10.5-08"],
    unaffected: ["10.5-01"],
    rewriteBody: (body) => body.replace(',{"filename":"50.txt","content":"YQ=="}', ""),
  },
  {
    fault: "too large attachments are accepted",
    broken: ["10.5-09"],
    unaffected: ["10.5-01"],
    change: onSend((exchange) => {
      if (exchange.body?.error?.details?.[0]?.code === "too_large") exchange.status = 202;
    }),
  },
  {
    fault: "a 422 names only the first problem of attachments",
    broken: ["10.5-10"],
    unaffected: ["10.5-11"],
    change: onSend(({ body }) => body?.error?.details?.splice(1)),
  },
  {
    fault: "the bytes of attachments do not count for an idempotency key",
    broken: ["10.5-11"],
    unaffected: ["10.5-12"],
    rewriteBody: (body) => body.replace('"Yg=="', '"YQ=="'),
  },
  {
    fault: "the content of a mail without attachments has an empty list",
    broken: ["10.5-12"],
    unaffected: ["10.5-01"],
    change: ({ path, body }) => {
      if (path.endsWith("/content")) body.attachments ??= [];
    },
  },
  {
    fault: "an unknown attachment is an empty file",
    broken: ["10.5-13"],
    unaffected: ["10.5-02"],
    change: onDownload((exchange) => replaceStatus(exchange, 404, 200)),
  },
  {
    fault: "too large attachments hide the problems of other fields",
    broken: ["10.5-14"],
    unaffected: ["10.5-10"],
    change: onSend(({ body }) => {
      const tooLarge = body?.error?.details?.filter(({ field }: { field: string }) => field === "attachments") ?? [];
      if (tooLarge.length > 0) body.error.details = tooLarge;
    }),
  },
];

function onDownload(change: (exchange: Exchange) => void): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.path.includes("/content/attachments/")) change(exchange);
  };
}
