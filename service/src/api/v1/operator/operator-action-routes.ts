import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { holdAccount, releaseAccount } from "../../../accounts/account-store.ts";
import { setLimits } from "../../../accounts/limit-store.ts";
import { setQuotas } from "../../../accounts/quota-store.ts";
import { AppError } from "../../../errors.ts";
import { replayQuarantined } from "../../../feedback/quarantine-store.ts";
import { releaseFromGuard, switchGuard } from "../../../guard/guard-store.ts";
import { HoldParking } from "../../../guard/hold-parking.ts";
import { findAccountState } from "../../../status/account-states.ts";
import { type OperatorCaller, requireOperator } from "../../auth/require-operator.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import { operatorAccount, toOperatorAccount } from "./operator-account-wire.ts";
import {
  guardBody,
  limitsBody,
  reasonBody,
  replayBody,
  replayResponse,
  toLimits,
  toQuotas,
} from "./operator-action-wire.ts";

/** Claims park what is left of a long queue, each send when they meet it. */
const parkingMs = 2_000;

/** What `postern admin` does as well. Each action needs a reason. */
export function operatorActionRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, operatorOf } = requireOperator(deps);
  const common = { tags: ["Operators"], security: needsJwt };
  const errors = errorResponses(401, 404, 413, 415, 422, 429);
  const ofAccount = { ...common, params: uuidParams, response: { 200: operatorAccount, ...errors } };

  /** Runs the action on the account of the path and returns the account afterwards. */
  const changeAccount = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    { action, reason }: { action: string; reason: string },
    run: (tx: Parameters<Parameters<OperatorCaller["act"]>[0]>[0], accountId: string) => Promise<unknown>,
  ) => {
    const { act, userId } = operatorOf(request);
    const { id } = request.params;
    if (!z.guid().safeParse(id).success) throw noAccount();
    const account = await act(async (tx) => {
      if ((await findAccountState(tx, id)) === undefined) throw noAccount();
      await run(tx, id);
      return findAccountState(tx, id);
    });
    if (account === undefined) throw noAccount();
    deps.log.info({ action, operator_id: userId, account_id: id, reason }, "operator.acted");
    return toOperatorAccount(account);
  };

  app.post(
    "/api/v1/operator/accounts/:id/hold",
    {
      onRequest,
      schema: {
        ...ofAccount,
        operationId: "holdAccount",
        summary: "Put the mail of an account on hold",
        description:
          "The API still accepts its mail, which waits in the queue until the release. `reason` is the note that the status shows; a " +
          "second hold replaces it.",
        body: reasonBody,
      },
    },
    async (request) => {
      const { reason } = request.body;
      const account = await changeAccount(request, { action: "hold", reason }, (tx, id) => holdAccount(tx, id, reason));
      const parking = new HoldParking(operatorOf(request).db);
      parking.add(account.tenant_id);
      await parking.park(parkingMs);
      return account;
    },
  );

  app.post(
    "/api/v1/operator/accounts/:id/release",
    {
      onRequest,
      schema: {
        ...ofAccount,
        operationId: "releaseAccount",
        summary: "End the hold of an operator on an account",
        description: "A hold of the guard stays. Without a hold nothing changes.",
        body: reasonBody,
      },
    },
    (request) => changeAccount(request, { action: "release", reason: request.body.reason }, releaseAccount),
  );

  app.post(
    "/api/v1/operator/accounts/:id/guard",
    {
      onRequest,
      schema: {
        ...ofAccount,
        operationId: "changeGuard",
        summary: "Release an account from the guard, or switch the guard",
        description: "With both, the guard is switched first.",
        body: guardBody,
      },
    },
    (request) => {
      const { reason, release, on } = request.body;
      return changeAccount(request, { action: "guard", reason }, async (tx, id) => {
        if (on !== undefined) await switchGuard(tx, id, !on);
        if (release === true) await releaseFromGuard(tx, id);
      });
    },
  );

  app.patch(
    "/api/v1/operator/accounts/:id/limits",
    {
      onRequest,
      schema: {
        ...ofAccount,
        operationId: "changeLimits",
        summary: "Change the limits and quotas of an account",
        description:
          "Limits that are not given stay as they are. API processes apply quotas within 5 seconds. The quota of queued recipients is " +
          "set by `postern admin limits`, which also counts the queue.",
        body: limitsBody,
      },
    },
    (request) => {
      const { reason, mode } = request.body;
      const [limits, quotas] = [toLimits(request.body), toQuotas(request.body)];
      return changeAccount(request, { action: "limits", reason }, async (tx, accountId) => {
        if (Object.keys(quotas).length > 0) await setQuotas(tx, { accountId, mode }, quotas);
        if (Object.keys(limits).length > 0) await setLimits(tx, accountId, limits);
      });
    },
  );

  app.post(
    "/api/v1/operator/quarantine/replay",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "replayQuarantine",
        summary: "Let a worker try quarantined notifications again",
        body: replayBody,
        response: { 200: replayResponse, ...errors },
      },
    },
    async (request) => {
      const { act, userId } = operatorOf(request);
      const { id, reason } = request.body;
      const due = await act((tx) => replayQuarantined(tx, id));
      if (due === 0 && id !== undefined) throw noEntry();
      deps.log.info({ action: "replay", operator_id: userId, due, reason }, "operator.acted");
      return { due };
    },
  );
}

function noAccount(): AppError {
  return new AppError(
    "NOT_FOUND",
    "There is no account with this id. GET /api/v1/operator/accounts lists all accounts.",
  );
}

function noEntry(): AppError {
  return new AppError("NOT_FOUND", "The quarantine has no entry with this id. A worker may have applied it since.");
}
