import type { FastifyRequest } from "fastify";
import type { Actor } from "../../actor.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { lockOperator } from "../../logins/operator-login.ts";
import { requireCaller } from "./require-caller.ts";
import { requireOperatorState } from "./require-role.ts";
import { requireUser } from "./require-user.ts";
import { getCallerAccess } from "./route-access.ts";
import { refused } from "./unauthorized.ts";

export interface OperatorCaller {
  userId: string;
  /** Of the login. Its audit has what touches no account. */
  accountId: string;
  /** For the audit of the accounts that the operator touches. */
  actor: Actor;
  /** Of all accounts: it is bound to none. Each operator has slots for statements like an account. */
  db: Database;
  /** Runs an action in one transaction with a second check: an operator who has lost the flag meanwhile changes nothing. */
  act<Result>(action: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

/**
 * The only way in which a route reaches other accounts than its caller's. Only routes in api/v1/operator/ may use it (import-rules.ts), and
 * only with the role `operator` in route-access.ts.
 */
export function requireOperator(deps: Parameters<typeof requireCaller>[0]) {
  const { onRequest, callerOf } = requireCaller(deps);
  const { db } = deps.authenticator;
  return {
    onRequest,
    operatorOf: (request: FastifyRequest): OperatorCaller => {
      const { role } = getCallerAccess(request.method, request.routeOptions.url);
      if (role !== "operator") throw new Error("a route for others than operators asked for all accounts");
      const caller = callerOf(request);
      const { userId, loginId } = requireUser(caller);
      const actor: Actor = { ...caller.db.actor, kind: "operator" };
      return {
        userId,
        accountId: caller.accountId,
        actor,
        db: { ...db, query: deps.readLimits.limit({ accountId: userId, actor, query: db.query }).query },
        act: (action) =>
          db.withTransaction(async (tx) => {
            const state = await lockOperator(tx, loginId);
            if (state === undefined) throw refused("The login has ended. Log in again.");
            requireOperatorState(state);
            return action(tx);
          }),
      };
    },
  };
}
