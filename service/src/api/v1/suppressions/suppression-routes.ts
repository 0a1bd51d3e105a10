import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { parseAddress } from "../../../mail-address.ts";
import { addSuppression } from "../../../suppressions/add-suppression.ts";
import { findSuppressionState } from "../../../suppressions/suppression-state.ts";
import {
  findSuppressionsBefore,
  listSuppressions,
  removeSuppression,
} from "../../../suppressions/suppression-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { createDeepReads } from "../../http/deep-reads.ts";
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { offsetOf, requireNoPage, toCursorPagination, toPagePagination } from "../list-wire.ts";
import { modesToRead, requireMode } from "../sends/send-mode.ts";
import {
  addedSuppressionResponse,
  addingQuery,
  addSuppressionBody,
  removalQuery,
  removedSuppressionResponse,
  stateQuery,
  suppressionList,
  suppressionQuery,
  suppressionStateResponse,
  toSuppressionEntry,
  toSuppressionState,
} from "./suppression-wire.ts";

export function suppressionRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);
  const deepReads = createDeepReads();

  app.get(
    "/api/v1/suppression",
    {
      onRequest,
      schema: {
        operationId: "listSuppressions",
        summary: "List suppressed addresses",
        description:
          "Newest first, with the exact `total`. With `before` or `reason`, the response has `next_before` instead of `total`. Without " +
          "`mode` the list contains both modes, and an address that both suppress has two entries.",
        tags: ["Suppressions"],
        security: needsJwtOrKey,
        querystring: suppressionQuery,
        response: { 200: suppressionList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { limit, page, before, reason } = request.query;
      const modes = modesToRead(caller, request.query.mode);
      if (before !== undefined || reason !== undefined) {
        requireNoPage(page);
        const { suppressions, nextBefore } = await findSuppressionsBefore(caller.db, modes, { before, reason, limit });
        const pagination = toCursorPagination(limit, nextBefore);
        return { success: true as const, data: suppressions.map(toSuppressionEntry), pagination };
      }
      const offset = offsetOf(page ?? 1, limit);
      const read = () => listSuppressions(caller.db, modes, { limit, offset });
      const { suppressions, total } = await deepReads.run(caller.accountId, offset, read);
      const pagination = toPagePagination(page ?? 1, limit, total);
      return { success: true as const, data: suppressions.map(toSuppressionEntry), pagination };
    },
  );

  // An addition to the published interface, in which only bounces and complaints add addresses.
  app.post(
    "/api/v1/suppression",
    {
      onRequest,
      schema: {
        operationId: "addSuppression",
        summary: "Add an address to the suppression list",
        description:
          "Sends accepted after this response do not go to the address, nor those that wait in the queue. 201 for a new entry. 200 when the " +
          "address is suppressed already: its entry stays as it is, also its `reason` and `note`.",
        tags: ["Suppressions"],
        security: needsJwtOrKey,
        querystring: addingQuery,
        body: addSuppressionBody,
        response: {
          200: addedSuppressionResponse,
          201: addedSuppressionResponse,
          ...errorResponses(401, 413, 415, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const mode = requireMode(caller, request.query.mode);
      const { email, note } = request.body;
      const { suppression, isNew } = await addSuppression(caller.db, { mode, email, note: note ?? undefined });
      return reply.code(isNew ? 201 : 200).send({ success: true, data: toSuppressionEntry(suppression) });
    },
  );

  app.get(
    "/api/v1/suppression/:email",
    {
      onRequest,
      schema: {
        operationId: "getSuppression",
        summary: "Look up an address in the suppression list",
        description:
          "Shows the entries of the address, and its last removal: who removed it when, and whether SES removed it from its own " +
          "list too. 404 for an address that has neither.",
        tags: ["Suppressions"],
        security: needsJwtOrKey,
        params: z.object({ email: z.string().describe("The address, URL-encoded") }),
        querystring: stateQuery,
        response: { 200: suppressionStateResponse, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const modes = modesToRead(caller, request.query.mode);
      const address = parseAddress(request.params.email);
      if ("problem" in address) throw notListed();
      const state = await findSuppressionState(caller.db, modes, address.key);
      if (state.suppressions.length + state.removals.length === 0) throw notListed();
      return { success: true as const, data: toSuppressionState(address.key, state) };
    },
  );

  app.delete(
    "/api/v1/suppression/:email",
    {
      onRequest,
      schema: {
        operationId: "removeSuppression",
        summary: "Remove an address from the suppression list",
        description:
          "Sends accepted after this response go to the address again. Postern removes the address from the provider's own " +
          "suppression list shortly afterwards, unless its entry was `manual`. Without `mode` the entries of both modes are removed.",
        tags: ["Suppressions"],
        security: needsJwtOrKey,
        params: z.object({ email: z.string().describe("The address, URL-encoded") }),
        querystring: removalQuery,
        response: { 200: removedSuppressionResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const modes = modesToRead(caller, request.query.mode);
      const address = parseAddress(request.params.email);
      const isRemoved = !("problem" in address) && (await removeSuppression(caller.db, modes, address.key));
      if (!isRemoved) throw notListed();
      const message = `${request.params.email} was removed from the suppression list. Later sends to it are no longer filtered.`;
      return { success: true as const, message };
    },
  );
}

function notListed(): AppError {
  return new AppError("NOT_FOUND", "This address is not on the suppression list of this account.");
}
