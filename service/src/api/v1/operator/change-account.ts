import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Actor } from "../../../actor.ts";
import { AppError } from "../../../errors.ts";
import { findAccountState } from "../../../status/account-states.ts";
import { type OperatorCaller, requireOperator } from "../../auth/require-operator.ts";
import type { ApiDeps } from "../../http/api-server.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import { operatorAccount, toOperatorAccount } from "./operator-account-wire.ts";

/** The operator has the transaction, so that a route cannot open one of its own. */
type Transaction = Parameters<Parameters<OperatorCaller["act"]>[0]>[0];
type Change = (tx: Transaction, accountId: string, actor: Actor) => Promise<unknown>;
type ChangeRequest = FastifyRequest<{ Params: { id: string }; Body: { reason: string } }>;

export const actionErrors = errorResponses(401, 404, 413, 415, 422, 429);

/** What the routes have in common that change one account as `postern admin` does. */
export function accountChanges(deps: ApiDeps) {
  const { onRequest, operatorOf } = requireOperator(deps);
  const schema = {
    tags: ["Operators"],
    security: needsJwt,
    params: uuidParams,
    response: { 200: operatorAccount, ...actionErrors },
  };

  /** Runs the change on the account of the path and returns the account afterwards. */
  async function changeAccount(request: ChangeRequest, action: string, change: Change) {
    const operator = operatorOf(request);
    const { id } = request.params;
    const { reason } = request.body;
    if (!z.guid().safeParse(id).success) throw noAccount();
    const account = await operator.act(async (tx) => {
      if ((await findAccountState(tx, id)) === undefined) throw noAccount();
      await change(tx, id, { ...operator.actor, reason });
      return findAccountState(tx, id);
    });
    if (account === undefined) throw noAccount();
    logAction(deps, operator, { action, account_id: id });
    return toOperatorAccount(account);
  }

  return { onRequest, operatorOf, schema, changeAccount };
}

/** Without the reason, which may name a person: the audit has it. */
export function logAction(
  { log }: ApiDeps,
  { userId }: OperatorCaller,
  facts: { action: string; account_id?: string; entry_id?: number; due?: number },
): void {
  log.info({ ...facts, operator_id: userId }, "operator.acted");
}

export function noAccount(): AppError {
  return new AppError(
    "NOT_FOUND",
    "There is no account with this id. GET /api/v1/operator/accounts lists all accounts.",
  );
}
