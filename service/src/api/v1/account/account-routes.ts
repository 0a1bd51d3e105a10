import { findAccount } from "../../../accounts/account-store.ts";
import { findGuardState } from "../../../guard/guard-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { accountResponse, toAccountResponse } from "./account-wire.ts";

/** An addition to the published interface: a caller can test a key without sending an email. */
export function accountRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/account",
    {
      onRequest,
      schema: {
        operationId: "getAccount",
        summary: "Get the account of the credential",
        description:
          "Returns the account, the mode and the rate limits that apply to the credential of this request, whether the mail of the " +
          "account is on hold, and its bounce and complaint rates.",
        tags: ["Account"],
        security: needsKeyOrJwt,
        response: { 200: accountResponse, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const account = await findAccount(caller.db, caller.mode);
      const guard = await findGuardState(caller.db, caller.accountId);
      if (account === undefined || guard === undefined) {
        throw new Error("a credential names an account that does not exist");
      }
      return toAccountResponse(account, guard, caller);
    },
  );
}
