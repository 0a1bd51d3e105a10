import { Readable } from "node:stream";
import { z } from "zod";
import { readAttachment } from "../../../sends/read-content.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { attachmentDisposition } from "../../http/content-disposition.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { readingModeQuery, sendsToRead } from "../sends/send-mode.ts";
import { contentNotKept, contentViewOff, noSuchAttachment, noSuchSend } from "./content-errors.ts";

const maxDownloadMs = 600_000;

const attachmentParams = z.object({
  id: z.string().describe("Id of the send").meta({ format: "uuid" }),
  number: z.string().describe("Position in the list of the content, from 0").meta({ example: "0" }),
});

/** An attachment can be a web page with scripts: no browser shows it on the origin of the API. */
const downloadHeaders = {
  "content-type": "application/octet-stream",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
};

/** An addition to the published interface: the files that were sent, while they are kept. */
export function attachmentRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/send/:id/content/attachments/:number",
    {
      onRequest,
      // HEAD would leave an entry of a read that showed nothing.
      exposeHeadRoute: false,
      // The bytes of a file are no JSON.
      serializerCompiler: () => (value) => JSON.stringify(value),
      schema: {
        operationId: "getAttachment",
        summary: "Download an attachment",
        description:
          "The bytes of a file that was sent, always as `application/octet-stream`. `GET /api/v1/send/{id}/content` lists the files; who may " +
          "read it may read them. Every download is in the audit. A response that ends before its `Content-Length` is incomplete.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: attachmentParams,
        querystring: readingModeQuery,
        response: {
          200: {
            description: "The file",
            content: { "application/octet-stream": { schema: z.any().meta({ type: "string", format: "binary" }) } },
          },
          ...errorResponses(401, 404, 410, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const visible = sendsToRead(caller, request.query.mode);
      if (deps.contentViews === undefined) throw contentViewOff();
      const { id, number } = request.params;
      if (!z.guid().safeParse(id).success) throw noSuchSend();
      if (!/^\d{1,2}$/.test(number)) throw noSuchAttachment();
      const place = { id, number: Number(number) };
      const result = await readAttachment(caller.db, deps.contentViews.keys, visible, place);
      switch (result.kind) {
        case "attachment":
          return reply
            .headers({ ...downloadHeaders, "content-disposition": attachmentDisposition(result.facts.filename) })
            .header("content-length", result.facts.size)
            .send(Readable.from(result.bytes, { objectMode: false, signal: AbortSignal.timeout(maxDownloadMs) }));
        case "no-attachment":
          throw noSuchAttachment();
        case "not-kept":
          throw contentNotKept();
        case "no-send":
          throw noSuchSend();
      }
    },
  );
}
