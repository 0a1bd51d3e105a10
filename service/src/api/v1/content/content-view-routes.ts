import { z } from "zod";
import { spendContentView } from "../../../content-views/content-view-store.ts";
import { AppError } from "../../../errors.ts";
import { clientOf } from "../../auth/client-of.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses } from "../../http/wire-format.ts";
import { contentNotKept } from "./content-errors.ts";
import { contentHeaders, contentPage } from "./content-page.ts";

const tokenParams = z.object({ token: z.string().describe("From POST /api/v1/send/{id}/content/view") });

/** The document of a frame, which sends no Authorization header: the token is the credential. */
export function contentViewRoutes(app: ApiServer, deps: ApiDeps): void {
  const { authenticator } = deps;

  app.get(
    "/api/v1/content-views/:token",
    {
      // HEAD would use the token up.
      exposeHeadRoute: false,
      schema: {
        operationId: "showContent",
        summary: "Show the mail, once",
        description:
          "The HTML of the mail, or its text, as a sandboxed document. A second request with the same token is 404, and so is one after " +
          "60 seconds, after the end of the login, and of a user who is not a developer any more.",
        tags: ["Sends"],
        security: [],
        params: tokenParams,
        response: {
          200: { description: "The mail", content: { "text/html": { schema: z.string() } } },
          ...errorResponses(404, 410, 422),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      if (deps.contentViews === undefined) throw notValid();
      const spent = await spendContentView(authenticator.db, deps.contentViews, { token, client: clientOf(request) });
      switch (spent.kind) {
        case "content":
          return reply
            .headers(contentHeaders(spent.content))
            .type("text/html; charset=utf-8")
            .send(contentPage(spent.content));
        case "not-kept":
          throw contentNotKept();
        case "not-valid":
          throw notValid();
      }
    },
  );
}

function notValid(): AppError {
  return new AppError(
    "NOT_FOUND",
    "This address is not valid any more: it was used, has expired, or its login has ended. Request a new one.",
  );
}
