import { listQuarantined } from "../../../feedback/quarantine-store.ts";
import { listAccountStates } from "../../../status/account-states.ts";
import { requireOperator } from "../../auth/require-operator.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { operatorAccountList, operatorAccountQuery, toOperatorAccount } from "./operator-account-wire.ts";
import { quarantineList, quarantineQuery, toQuarantineEntry } from "./operator-quarantine-wire.ts";
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
          "The problems that `postern status` shows, with advice, and the state of queue, feedback and database.",
        response: { 200: operatorStatusResponse, ...errors },
      },
    },
    async () => toOperatorStatus(await deps.cellState()),
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
        summary: "Get quota and reputation at SES",
        response: { 200: operatorSesResponse, ...errors },
      },
    },
    async () => toOperatorSes(await deps.cellState()),
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
      const { limit, after } = request.query;
      const found = await listAccountStates(operatorOf(request).db, { after, limit: limit + 1 });
      const accounts = found.slice(0, limit);
      const next_after = found.length > limit ? (accounts.at(-1)?.id ?? null) : null;
      return { accounts: accounts.map(toOperatorAccount), next_after };
    },
  );

  app.get(
    "/api/v1/operator/quarantine",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listQuarantine",
        summary: "List SES notifications that could not be applied",
        description:
          "Without the notification itself, which contains addresses: `postern admin quarantine show ID` prints it.",
        querystring: quarantineQuery,
        response: { 200: quarantineList, ...errors },
      },
    },
    async (request) => {
      const { limit, before } = request.query;
      const found = await listQuarantined(operatorOf(request).db, { before, limit: limit + 1 });
      const entries = found.slice(0, limit);
      const next_before = found.length > limit ? (entries.at(-1)?.id ?? null) : null;
      return { entries: entries.map(toQuarantineEntry), next_before };
    },
  );
}
