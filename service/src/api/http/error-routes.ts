import { AppError, type ErrorCode, errorCodes } from "../../errors.ts";
import type { ApiServer } from "./api-server.ts";
import { errorCatalogue } from "./error-catalogue.ts";

/** Serves the page that the `doc_url` of each error links to. */
export function errorRoutes(app: ApiServer): void {
  app.get<{ Params: { code: string } }>("/errors/:code", { schema: { hide: true } }, (request, reply) => {
    const code = errorCodes.find((known) => known === request.params.code);
    if (code === undefined)
      throw new AppError("NOT_FOUND", `This error code does not exist. The codes are: ${errorCodes.join(", ")}.`);
    return reply.type("text/plain; charset=utf-8").send(explanation(code));
  });
}

function explanation(code: ErrorCode): string {
  const { status, meaning } = errorCatalogue[code];
  return `${code} (HTTP ${status})\n\n${meaning}\n`;
}
