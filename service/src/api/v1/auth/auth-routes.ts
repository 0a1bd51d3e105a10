import type { FastifyRequest } from "fastify";
import { publicKeySet } from "../../../logins/access-token.ts";
import type { Client } from "../../../logins/client.ts";
import { logIn } from "../../../logins/log-in.ts";
import { deleteLogin } from "../../../logins/login-store.ts";
import { refreshLogin } from "../../../logins/refresh-login.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import {
  keySetResponse,
  loginBody,
  logoutResponse,
  refreshBody,
  tokensResponse,
  toTokensResponse,
} from "./auth-wire.ts";

export function authRoutes(app: ApiServer, deps: ApiDeps): void {
  const { loginDeps, authenticator } = deps;
  // The login finds the account, so its queries cannot be limited to one account.
  const { db } = authenticator;
  const { onRequest, callerOf } = requireCaller(deps, "jwt");

  app.post(
    "/api/v1/auth/login",
    {
      schema: {
        operationId: "logIn",
        summary: "Log in with email address and password",
        description:
          "Repeated failures from one IP address return 429; retry after the number of seconds in Retry-After.",
        tags: ["Authentication"],
        security: [],
        body: loginBody,
        response: { 200: tokensResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request) => toTokensResponse(await logIn(db, loginDeps, { ...request.body, ...clientOf(request) })),
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
          "counts as theft and ends the login.",
        tags: ["Authentication"],
        security: [],
        body: refreshBody,
        response: { 200: tokensResponse, ...errorResponses(401, 413, 415, 422) },
      },
    },
    async (request) =>
      toTokensResponse(await refreshLogin(db, loginDeps, request.body.refresh_token, clientOf(request))),
  );

  app.post(
    "/api/v1/auth/logout",
    {
      onRequest,
      schema: {
        operationId: "logOut",
        summary: "End this login",
        description: "Every later request with an access token or refresh token of this login returns 401.",
        tags: ["Authentication"],
        security: needsJwt,
        response: { 200: logoutResponse, ...errorResponses(401, 413, 415, 422) },
      },
    },
    async (request) => {
      const { credential } = callerOf(request);
      if (credential.kind === "jwt") await deleteLogin(db, credential.loginId);
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

function clientOf(request: FastifyRequest): Client {
  return { address: request.ip, userAgent: request.headers["user-agent"] };
}
