import { publicKeySet } from "../../../logins/access-token.ts";
import { logIn } from "../../../logins/log-in.ts";
import { deleteLogin } from "../../../logins/login-store.ts";
import { refreshLogin } from "../../../logins/refresh-login.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsJwt } from "../../http/wire-format.ts";
import { keySetAnswer, loginBody, logoutAnswer, refreshBody, tokensAnswer, toTokensAnswer } from "./auth-wire.ts";

export function authRoutes(app: ApiServer, { loginDeps, authenticator }: ApiDeps): void {
  // Logging in is what finds the account, so it cannot be bound to one.
  const { db } = authenticator;
  const { onRequest, callerOf } = requireCaller(authenticator, "jwt");

  app.post(
    "/api/v1/auth/login",
    {
      schema: {
        operationId: "logIn",
        summary: "Log in with email and password",
        description: "After repeated failures from one address the answer is 429 until the time in Retry-After.",
        tags: ["Log-in"],
        security: [],
        body: loginBody,
        response: { 200: tokensAnswer, ...errorAnswers(401, 413, 415, 422, 429) },
      },
    },
    async (request) => toTokensAnswer(await logIn(db, loginDeps, { ...request.body, address: request.ip })),
  );

  app.post(
    "/api/v1/auth/refresh",
    {
      schema: {
        operationId: "refreshLogin",
        summary: "Exchange a refresh token for a new pair",
        description:
          "A refresh token works once. If the answer got lost, the same token may be sent again within 30 seconds; " +
          "used later than that it counts as stolen and ends the login.",
        tags: ["Log-in"],
        security: [],
        body: refreshBody,
        response: { 200: tokensAnswer, ...errorAnswers(401, 413, 415, 422) },
      },
    },
    async (request) => toTokensAnswer(await refreshLogin(db, loginDeps, request.body.refresh_token)),
  );

  app.post(
    "/api/v1/auth/logout",
    {
      onRequest,
      schema: {
        operationId: "logOut",
        summary: "End this login",
        description: "Its access tokens and refresh tokens are refused from now on.",
        tags: ["Log-in"],
        security: needsJwt,
        response: { 200: logoutAnswer, ...errorAnswers(401, 413, 415, 422) },
      },
    },
    async (request) => {
      const { credential } = callerOf(request);
      if (credential.kind === "jwt") await deleteLogin(db, credential.loginId);
      return { success: true as const, message: "Logged out. The tokens of this login are no longer accepted." };
    },
  );

  app.get(
    "/.well-known/jwks.json",
    {
      schema: {
        operationId: "jwks",
        summary: "Public keys of the access tokens",
        tags: ["Log-in"],
        security: [],
        response: { 200: keySetAnswer, ...errorAnswers(431) },
      },
    },
    () => publicKeySet(loginDeps.authority),
  );
}
