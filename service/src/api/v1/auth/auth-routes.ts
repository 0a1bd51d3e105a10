import type { FastifyRequest } from "fastify";
import type { AppError } from "../../../errors.ts";
import { publicKeySet } from "../../../logins/access-token.ts";
import { anonymousAt } from "../../../logins/client.ts";
import { logIn } from "../../../logins/log-in.ts";
import { refreshLogin } from "../../../logins/refresh-login.ts";
import { authenticTokens } from "../../../logins/refresh-token.ts";
import { endSessions } from "../../../logins/session-store.ts";
import { clientOf } from "../../auth/client-of.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import {
  keySetResponse,
  loginBody,
  logoutResponse,
  refreshBody,
  toBrowserResponse,
  tokensResponse,
  toTokensResponse,
} from "./auth-wire.ts";
import { createRefreshCookie } from "./refresh-cookie.ts";
import { givenCode } from "./totp-wire.ts";

export function authRoutes(app: ApiServer, deps: ApiDeps): void {
  const { loginDeps, authenticator } = deps;
  // The login finds the account, so its queries cannot be limited to one account.
  const { db } = authenticator;
  const { onRequest, callerOf } = requireCaller(deps);
  const cookie = createRefreshCookie(deps.http.publicUrl);
  const cookieLogins = (headers: FastifyRequest["headers"]) =>
    authenticTokens(loginDeps.refreshTokens, cookie.values(headers)).map(({ loginId }) => loginId);

  app.post(
    "/api/v1/auth/login",
    {
      schema: {
        operationId: "logIn",
        summary: "Log in with email address and password",
        description:
          "Repeated failures from one IP address return 429; retry after the number of seconds in Retry-After. A user with " +
          "two-factor authentication also sends `totp_code` or `recovery_code`; without it the 401 has `details` that name the field. With `browser` the " +
          "refresh token is only in an HttpOnly cookie for the paths under /api/v1/auth, and the header `Origin` must be the address " +
          "of this installation (PUBLIC_URL).",
        tags: ["Authentication"],
        security: [],
        body: loginBody,
        response: { 200: tokensResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const { browser = false, email, password } = request.body;
      if (browser) cookie.requireOwnPage(request.headers);
      const tokens = await logIn(db, loginDeps, {
        email,
        password,
        isBrowser: browser,
        ...givenCode(request.body),
        ...clientOf(request),
      });
      if (!browser) return toTokensResponse(tokens);
      // Nobody could end the session of the cookie that this response replaces.
      const replacedBy = { action: "session.replace", actor: anonymousAt(clientOf(request)) } as const;
      await endSessions(db, cookieLogins(request.headers), replacedBy);
      cookie.set(reply, tokens.refreshToken, tokens.secondsLeft);
      return toBrowserResponse(tokens);
    },
  );

  app.post(
    "/api/v1/auth/refresh",
    {
      schema: {
        operationId: "refreshLogin",
        summary: "Exchange a refresh token for a new pair of tokens",
        description:
          "Store the refresh token of the response in place of the one you sent; within 90 seconds after it was issued it is the same. " +
          "A token that was replaced works for another 30 seconds, for clients that lost the response and for other tabs. Its later use " +
          "counts as theft and ends the login. A browser sends `browser` instead: its token is in the cookie, and `Origin` must be the " +
          "address of this installation. With `session_id`, a token of another session gets 409, and nothing changes.",
        tags: ["Authentication"],
        security: [],
        body: refreshBody,
        response: { 200: tokensResponse, ...errorResponses(401, 409, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const refreshOptions = { client: clientOf(request), expectedLoginId: request.body.session_id?.toLowerCase() };
      if (request.body.browser === undefined) {
        const refreshed = await refreshLogin(db, loginDeps, requireToken(request.body), refreshOptions);
        return toTokensResponse(refreshed);
      }
      if (request.body.refresh_token !== undefined) throw cookieAndBody();
      cookie.requireOwnPage(request.headers);
      const tokens = await refreshLogin(db, loginDeps, cookie.read(request.headers), refreshOptions);
      // A cookie that the browser has already is not set again: this response may arrive after one with the next token.
      if (!tokens.isSameRefreshToken) cookie.set(reply, tokens.refreshToken, tokens.secondsLeft);
      return toBrowserResponse(tokens);
    },
  );

  app.post(
    "/api/v1/auth/logout",
    {
      onRequest,
      schema: {
        operationId: "logOut",
        summary: "End this login",
        description:
          "Every later request with an access token or refresh token of this login returns 401. A request with the cookie of a browser " +
          "session needs the address of this installation as `Origin`, also ends the user's session of the cookie, and the response " +
          "deletes the cookie.",
        tags: ["Authentication"],
        security: needsJwt,
        response: { 200: logoutResponse, ...errorResponses(401, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const isBrowser = cookie.isIn(request.headers);
      if (isBrowser) cookie.requireOwnPage(request.headers);
      const { userId, loginId, actor } = requireUser(callerOf(request));
      // Another tab may have replaced the cookie: nobody could end the session of a cookie that is deleted here.
      const loginIds = [loginId, ...cookieLogins(request.headers)];
      await endSessions(db, loginIds, { action: "log-out", actor, ofUser: userId });
      if (isBrowser) cookie.clear(reply);
      return { success: true as const, message: "The login has ended. Its tokens are no longer valid." };
    },
  );

  app.get(
    "/.well-known/jwks.json",
    {
      schema: {
        operationId: "jwks",
        summary: "Get the public keys that verify access tokens",
        tags: ["Authentication"],
        security: [],
        response: { 200: keySetResponse, ...errorResponses(431) },
      },
    },
    () => publicKeySet(loginDeps.authority),
  );
}

function requireToken({ refresh_token }: { refresh_token?: string | undefined }): string {
  if (refresh_token !== undefined) return refresh_token;
  throw invalidRequest([{ field: "refresh_token", code: "required", message: "is required" }]);
}

function cookieAndBody(): AppError {
  const message = "must be absent with `browser`, which uses the cookie";
  return invalidRequest([{ field: "refresh_token", code: "contradiction", message }]);
}
