import { findAccount } from "../../../accounts/account-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsKeyOrJwt } from "../../http/wire-format.ts";
import { accountAnswer, toAccountAnswer } from "./account-wire.ts";

/** Additive to the published interface: lets someone check a key without sending a mail. */
export function accountRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.get(
    "/api/v1/account",
    {
      onRequest,
      schema: {
        operationId: "getAccount",
        summary: "Who am I?",
        description: "Shows the account, mode and limits behind the credential of this request.",
        tags: ["Account"],
        security: needsKeyOrJwt,
        response: { 200: accountAnswer, ...errorAnswers(401) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const account = await findAccount(caller.db);
      if (account === undefined) throw new Error("a credential names an account that does not exist");
      return toAccountAnswer(account, caller);
    },
  );
}
