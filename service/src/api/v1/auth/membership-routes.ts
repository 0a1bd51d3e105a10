import { listMemberships } from "../../../accounts/membership-store.ts";
import { getPerson } from "../../../accounts/user-store.ts";
import { authenticTokens } from "../../../logins/refresh-token.ts";
import { switchAccount } from "../../../logins/switch-account.ts";
import { clientOf } from "../../auth/client-of.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { toBrowserResponse, tokensResponse, toTokensResponse } from "./auth-wire.ts";
import { meResponse, switchBody, toMemberships } from "./membership-wire.ts";
import { createRefreshCookie } from "./refresh-cookie.ts";

/** What concerns a person and not an account: the database of one account does not show the others. */
export function membershipRoutes(app: ApiServer, deps: ApiDeps): void {
  const { loginDeps, authenticator } = deps;
  const { db } = authenticator;
  const { onRequest, callerOf } = requireCaller(deps);
  const cookie = createRefreshCookie(deps.http.publicUrl);

  app.get(
    "/api/v1/auth/me",
    {
      onRequest,
      schema: {
        operationId: "getMe",
        summary: "Get the user of the access token and the user's accounts",
        tags: ["Authentication"],
        security: needsJwt,
        response: { 200: meResponse, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const { userId, role } = requireUser(callerOf(request));
      const { email, isOperator, isOidc, hasTotp } = await getPerson(db, userId);
      const log_in = { password: !isOidc, oidc: isOidc, totp: hasTotp };
      const memberships = toMemberships(await listMemberships(db, userId));
      return { user_id: userId, email, is_operator: isOperator, log_in, tenant_id: accountId, role, memberships };
    },
  );

  app.post(
    "/api/v1/auth/switch",
    {
      onRequest,
      schema: {
        operationId: "switchAccount",
        summary: "Get tokens for another account of the same user",
        description:
          "A token is for one account. This starts a login for another account of which the user is a member. The login of the request " +
          "stays open, and the new one ends with it. Its tokens cannot switch again. A browser session sends `browser` and its cookie " +
          "(else 401): the new session replaces it.",
        tags: ["Authentication"],
        security: needsJwt,
        body: switchBody,
        response: { 200: tokensResponse, ...errorResponses(401, 404, 409, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { browser = false, tenant_id } = request.body;
      if (browser) cookie.requireOwnPage(request.headers);
      const { userId, loginId } = requireUser(callerOf(request));
      const tokens = await switchAccount(db, loginDeps, {
        userId,
        loginId,
        fromAccountId: callerOf(request).accountId,
        accountId: tenant_id.toLowerCase(),
        client: clientOf(request),
        cookies: browser ? authenticTokens(loginDeps.refreshTokens, cookie.values(request.headers)) : undefined,
      });
      if (!browser) return toTokensResponse(tokens);
      cookie.set(reply, tokens.refreshToken, tokens.secondsLeft);
      return toBrowserResponse(tokens);
    },
  );
}
