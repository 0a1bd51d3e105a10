import { findAccount, setTotpRequired } from "../../../accounts/account-store.ts";
import { findGuardState } from "../../../guard/guard-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireCode } from "../../auth/require-code.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, needsKeyOrJwt } from "../../http/wire-format.ts";
import { givenCode } from "../auth/totp-wire.ts";
import { requireMode, sendingModeQuery } from "../sends/send-mode.ts";
import { accountResponse, accountSettingsBody, accountSettingsResponse, toAccountResponse } from "./account-wire.ts";

/** An addition to the published interface: a caller can test a key without sending an email. */
export function accountRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);
  const checkCode = requireCode(deps);

  app.get(
    "/api/v1/account",
    {
      onRequest,
      schema: {
        operationId: "getAccount",
        summary: "Get the account of the credential",
        description:
          "Returns the account, the mode, the rate limits and the quotas that apply to the credential of this request, whether the " +
          "mail of the account is on hold, and its bounce and complaint rates.",
        tags: ["Account"],
        security: needsKeyOrJwt,
        querystring: sendingModeQuery,
        response: { 200: accountResponse, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const mode = requireMode(caller, request.query.mode);
      const { quotas } = deps.acceptDeps;
      const account = await findAccount(caller.db, mode);
      const guard = await findGuardState(caller.db, caller.accountId);
      if (account === undefined || guard === undefined) {
        throw new Error("a credential names an account that does not exist");
      }
      const owner = { accountId: caller.accountId, mode };
      await quotas.readStale([owner]);
      return toAccountResponse(account, { guard, quotas: quotas.statesOf(owner), mode }, caller);
    },
  );

  app.patch(
    "/api/v1/account",
    {
      onRequest,
      schema: {
        operationId: "changeAccount",
        summary: "Change the settings of the account",
        description:
          "With `totp_required`, users without two-factor authentication can only set it up, from the next request on. API keys " +
          "keep working. `false` also needs `totp_code` or `recovery_code` of an owner who has it. An owner who logs in by " +
          "OIDC needs a log-in of the last 10 minutes instead, else 403.",
        tags: ["Account"],
        security: needsJwt,
        body: accountSettingsBody,
        response: { 200: accountSettingsResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      if (!request.body.totp_required) await checkCode(callerOf(request), givenCode(request.body));
      await setTotpRequired(callerOf(request).db, request.body.totp_required);
      return { totp_required: request.body.totp_required };
    },
  );
}
