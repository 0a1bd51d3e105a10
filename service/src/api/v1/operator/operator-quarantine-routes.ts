import { AppError } from "../../../errors.ts";
import { recordQuarantineRead, recordQuarantineReplay } from "../../../feedback/quarantine-audit.ts";
import { findQuarantined, listQuarantined, replayQuarantined } from "../../../feedback/quarantine-store.ts";
import { requireOperator } from "../../auth/require-operator.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { actionErrors, logAction } from "./change-account.ts";
import { reasonBody, replayBody, replayResponse } from "./operator-action-wire.ts";
import {
  quarantinedNotification,
  quarantineList,
  quarantineParams,
  quarantineQuery,
  toQuarantineEntry,
} from "./operator-quarantine-wire.ts";

/** SES notifications that could not be applied. They belong to no account, and their text contains addresses. */
export function operatorQuarantineRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, operatorOf } = requireOperator(deps);
  const common = { tags: ["Operators"], security: needsJwt };

  app.get(
    "/api/v1/operator/quarantine",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listQuarantine",
        summary: "List SES notifications that could not be applied",
        description: "Without the notification itself, which contains addresses: reading one needs a reason.",
        querystring: quarantineQuery,
        response: { 200: quarantineList, ...errorResponses(401, 422, 429) },
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

  app.post(
    "/api/v1/operator/quarantine/:id/read",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "readQuarantined",
        summary: "Read one quarantined notification as it arrived",
        description:
          "It contains addresses. The audit of the account in which you are logged in has an entry with your reason; the notification " +
          "itself belongs to no account.",
        params: quarantineParams,
        body: reasonBody,
        response: { 200: quarantinedNotification, ...actionErrors },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const { accountId, actor } = operator;
      const entryId = readEntryId(request.params.id);
      const { reason } = request.body;
      const entry = await operator.act(async (tx) => {
        const found = await findQuarantined(tx, entryId);
        if (found !== undefined) await recordQuarantineRead(tx, { accountId, actor: { ...actor, reason }, entryId });
        return found;
      });
      if (entry === undefined) throw noEntry();
      logAction(deps, operator, { action: "quarantine-read", entry_id: entryId });
      return { ...toQuarantineEntry(entry), raw: entry.raw };
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
        response: { 200: replayResponse, ...actionErrors },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const { accountId, actor } = operator;
      const { id, reason } = request.body;
      const due = await operator.act(async (tx) => {
        const made = await replayQuarantined(tx, id);
        const action = { accountId, actor: { ...actor, reason }, entryId: id ?? null, due: made };
        if (made > 0) await recordQuarantineReplay(tx, action);
        return made;
      });
      if (due === 0 && id !== undefined) throw noEntry();
      logAction(deps, operator, { action: "replay", due });
      return { due };
    },
  );
}

function readEntryId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw noEntry();
  return Number(text);
}

function noEntry(): AppError {
  return new AppError("NOT_FOUND", "The quarantine has no entry with this id. A worker may have applied it since.");
}
