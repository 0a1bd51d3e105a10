import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../../errors.ts";
import { authenticTokens } from "../../../logins/refresh-token.ts";
import { reasonOf } from "../../../oidc/issuer-errors.ts";
import { logInByOidc, type OidcDeps, otherBrowser } from "../../../oidc/log-in-by-oidc.ts";
import { callbackPath } from "../../../oidc/oidc-issuer.ts";
import { clientOf } from "../../auth/client-of.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorCatalogue } from "../../http/error-catalogue.ts";
import { escapeHtml, sendPage, textToHtml, wantsPage } from "../../http/pages/page.ts";
import { createOidcCookie } from "./oidc-cookie.ts";
import { createRefreshCookie } from "./refresh-cookie.ts";

export const startPath = "/api/v1/auth/oidc/start";

/**
 * Pages that a browser opens, not calls of a program, so the OpenAPI document does not have them. After the callback the browser has the
 * refresh token in its cookie; the console exchanges it as after a log-in with `browser`.
 */
export function oidcRoutes(app: ApiServer, deps: ApiDeps): void {
  const { authenticator, http, loginDeps } = deps;
  const flowCookie = createOidcCookie(http.publicUrl);
  const refreshCookie = createRefreshCookie(http.publicUrl);
  const cookieLogins = (request: FastifyRequest) =>
    authenticTokens(loginDeps.refreshTokens, refreshCookie.values(request.headers)).map(({ loginId }) => loginId);
  // A HEAD request, such as that of a link preview, must not use up a log-in.
  const page = { exposeHeadRoute: false, schema: { hide: true } };

  app.get(startPath, page, (request, reply) =>
    explaining(deps, request, reply, async () => {
      const { flows, issuer } = requireOidc(deps.oidc);
      const { cookie, flow } = flows.start(cookieLogins(request));
      const url = await issuer.authorizationUrl(flow);
      flowCookie.set(reply, cookie);
      return reply.redirect(url, 302);
    }),
  );

  // The issuer may add parameters, so this route takes any query.
  app.get(callbackPath, { ...page, validatorCompiler: () => (value) => ({ value }) }, (request, reply) =>
    explaining(deps, request, reply, async () => {
      const oidc = requireOidc(deps.oidc);
      const cookie = flowCookie.read(request.headers);
      flowCookie.clear(reply);
      if (cookie === undefined) throw otherBrowser();
      const callback = { ...clientOf(request), cookie, cookieLogins: cookieLogins(request), query: queryOf(request) };
      const { refreshToken, secondsLeft } = await logInByOidc(authenticator.db, oidc, callback);
      refreshCookie.set(reply, refreshToken, secondsLeft);
      return reply.redirect(`${http.publicUrl}/`, 302);
    }),
  );
}

function requireOidc(oidc: OidcDeps | undefined): OidcDeps {
  if (oidc !== undefined) return oidc;
  throw new AppError("NOT_FOUND", "This installation has no log-in by OIDC. Log in with email address and password.");
}

function queryOf({ raw }: FastifyRequest): string {
  const url = raw.url ?? "";
  const begin = url.indexOf("?");
  return begin === -1 ? "" : url.slice(begin + 1);
}

/** A person reads the error, so a browser gets a page. The text is ours; nothing of the request is in it. */
async function explaining(
  { log, http }: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, cause, retryAfterSeconds } = error;
    const fields = { request_id: request.id, code, ...(cause === undefined ? {} : { reason: reasonOf(cause) }) };
    log.warn(fields, "oidc.refused");
    if (!wantsPage(request)) throw error;
    if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
    const content = `    <h1>You are not logged in</h1>
    <p class="lead">${textToHtml(message)}</p>
    ${code === "NOT_FOUND" ? "" : `<p><a href="${startPath}">Start the log-in again</a></p>`}
    <p class="status">Request ${escapeHtml(request.id)}</p>`;
    return sendPage(reply.code(errorCatalogue[code].status), "Log-in", content, http);
  }
}
