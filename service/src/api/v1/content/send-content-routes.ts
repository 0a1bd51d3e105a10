import { z } from "zod";
import { addContentView } from "../../../content-views/content-view-store.ts";
import { readContent } from "../../../sends/read-content.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, needsKeyOrJwt, uuidParams } from "../../http/wire-format.ts";
import { readingModeQuery, sendsToRead } from "../sends/send-mode.ts";
import { contentNotKept, contentViewOff, noSuchSend } from "./content-errors.ts";
import { contentResponse, contentViewBody, contentViewResponse, toContentResponse } from "./send-content-wire.ts";

/** An addition to the published interface: what was sent, while it is kept. */
export function sendContentRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/send/:id/content",
    {
      onRequest,
      // HEAD would leave an entry of a read that showed nothing.
      exposeHeadRoute: false,
      schema: {
        operationId: "getSendContent",
        summary: "Get what was sent",
        description:
          "Sender, recipients, subject, HTML and text as accepted. A key needs the scope `read`, a user the role developer. Every read is in " +
          "the audit. 410 once the content is deleted; 403 when the operator has set `CONTENT_VIEW=off`.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: uuidParams,
        querystring: readingModeQuery,
        response: { 200: contentResponse, ...errorResponses(401, 404, 410, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const visible = sendsToRead(caller, request.query.mode);
      if (deps.contentViews === undefined) throw contentViewOff();
      const { id } = request.params;
      if (!z.guid().safeParse(id).success) throw noSuchSend();
      const result = await readContent(caller.db, deps.contentViews.keys, visible, id);
      switch (result.kind) {
        case "content":
          return toContentResponse(result.content);
        case "not-kept":
          throw contentNotKept();
        case "no-send":
          throw noSuchSend();
      }
    },
  );

  app.post(
    "/api/v1/send/:id/content/view",
    {
      onRequest,
      schema: {
        operationId: "createContentView",
        summary: "Get an address that shows the mail in a frame",
        description:
          "The address works once, within 60 seconds, while the login is open and its user still a developer or owner. A login has 20 unused " +
          "addresses at most; a further one replaces the oldest. The mail runs no script and loads nothing, except images if `images` is true. It shows its own images (`content_id`), up to 2 MiB. " +
          'Put it into an `iframe` with `sandbox="allow-popups allow-popups-to-escape-sandbox"`.',
        tags: ["Sends"],
        security: needsJwt,
        params: uuidParams,
        body: contentViewBody,
        response: { 201: contentViewResponse, ...errorResponses(401, 404, 410, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { loginId } = requireUser(caller);
      if (deps.contentViews === undefined) throw contentViewOff();
      const { id: sendId } = request.params;
      if (!z.guid().safeParse(sendId).success) throw noSuchSend();
      const showsImages = request.body.images ?? false;
      const result = await addContentView(caller.db, deps.contentViews, { loginId, sendId, showsImages });
      switch (result.kind) {
        case "view":
          return reply.code(201).send({
            url: `/api/v1/content-views/${result.token}`,
            expires_at: result.expiresAt,
            has_attachments: result.hasAttachments,
          });
        case "not-kept":
          throw contentNotKept();
        case "no-send":
          throw noSuchSend();
      }
    },
  );
}
