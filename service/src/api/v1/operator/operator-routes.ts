import { z } from "zod";
import { listFailovers } from "../../../in-doubt/last-failover.ts";
import { findAccountState, listAccountStates, listRankedStates } from "../../../status/account-states.ts";
import { listDailySizes } from "../../../storage/database-size.ts";
import { listFailedRemovals } from "../../../suppressions/failed-removals.ts";
import { requireOperator } from "../../auth/require-operator.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import { noAccount } from "./change-account.ts";
import {
  operatorAccount,
  operatorAccountList,
  operatorAccountQuery,
  toOperatorAccount,
} from "./operator-account-wire.ts";
import { operatorProcessesResponse, toOperatorProcesses } from "./process-wire.ts";
import { operatorSesResponse, toOperatorSes } from "./ses-wire.ts";
import { operatorStatusResponse, toOperatorStatus } from "./status-wire.ts";

/** What an operator sees of the installation and of all accounts: never the content of mail, its recipients or a secret. */
export function operatorRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, operatorOf } = requireOperator(deps);
  const common = { tags: ["Operators"], security: needsJwt };
  const errors = errorResponses(401, 422, 429);

  app.get(
    "/api/v1/operator/status",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getOperatorStatus",
        summary: "Get the state of the installation",
        description:
          "The problems that `postern status` shows, with advice, and the state of queue, feedback and database, failovers and growth.",
        response: { 200: operatorStatusResponse, ...errors },
      },
    },
    async (request) => {
      const [state, failovers, sizes] = await Promise.all([
        deps.cellState(),
        listFailovers(operatorOf(request).db),
        listDailySizes(operatorOf(request).db),
      ]);
      return toOperatorStatus(state, { failovers, sizes });
    },
  );

  app.get(
    "/api/v1/operator/processes",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listProcesses",
        summary: "List the processes of the installation",
        response: { 200: operatorProcessesResponse, ...errors },
      },
    },
    async () => toOperatorProcesses(await deps.cellState()),
  );

  app.get(
    "/api/v1/operator/ses",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getSesState",
        summary: "Get quota and reputation at SES, and the suppression removals that failed there",
        response: { 200: operatorSesResponse, ...errors },
      },
    },
    async (request) => {
      const [state, removals] = await Promise.all([deps.cellState(), listFailedRemovals(operatorOf(request).db)]);
      return toOperatorSes(state, removals);
    },
  );

  app.get(
    "/api/v1/operator/accounts",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listAccounts",
        summary: "List all accounts",
        description: "With their holds, guard, limits, quotas and usage.",
        querystring: operatorAccountQuery,
        response: { 200: operatorAccountList, ...errors },
      },
    },
    async (request) => {
      const { limit, after, sort, search } = request.query;
      if (sort !== "created") {
        if (after !== undefined) throw noSecondPage();
        const ranked = await listRankedStates(operatorOf(request).db, sort, { search, limit });
        return { accounts: ranked.map(toOperatorAccount), next_after: null };
      }
      const found = await listAccountStates(operatorOf(request).db, { after, search, limit: limit + 1 });
      const accounts = found.slice(0, limit);
      const next_after = found.length > limit ? (accounts.at(-1)?.id ?? null) : null;
      return { accounts: accounts.map(toOperatorAccount), next_after };
    },
  );

  app.get(
    "/api/v1/operator/accounts/:id",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getOperatorAccount",
        summary: "Get one account",
        params: uuidParams,
        response: { 200: operatorAccount, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const account = z.guid().safeParse(id).success ? await findAccountState(operatorOf(request).db, id) : undefined;
      if (account === undefined) throw noAccount();
      return toOperatorAccount(account);
    },
  );
}

function noSecondPage() {
  const message = "continues only the order `created`; leave it out, or leave out `sort`";
  return invalidRequest([{ field: "after", code: "contradiction", message }]);
}
