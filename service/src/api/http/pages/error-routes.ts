import { AppError, errorCodes } from "../../../errors.ts";
import type { ApiServer } from "../api-server.ts";
import { explanationPage, explanationText, indexPage, indexText, unknownCodePage } from "./error-page.ts";
import { type PageOptions, sendPage, sendText, wantsPage } from "./page.ts";

/** Serves the page that the `doc_url` of each error links to: HTML for browsers, plain text otherwise. */
export function errorRoutes(app: ApiServer, publicUrl: string, options: PageOptions): void {
  app.get("/errors", { schema: { hide: true } }, (request, reply) =>
    wantsPage(request) ? sendPage(reply, "Error codes", indexPage(), options) : sendText(reply, indexText()),
  );

  app.get<{ Params: { code: string } }>("/errors/:code", { schema: { hide: true } }, (request, reply) => {
    const given = request.params.code;
    const code = errorCodes.find((known) => known === given);
    if (code !== undefined) {
      return wantsPage(request)
        ? sendPage(reply, code, explanationPage(code, publicUrl), options)
        : sendText(reply, explanationText(code));
    }
    if (wantsPage(request)) return sendPage(reply.code(404), "Unknown error code", unknownCodePage(given), options);
    throw new AppError("NOT_FOUND", `This error code does not exist. The codes are: ${errorCodes.join(", ")}.`);
  });
}
