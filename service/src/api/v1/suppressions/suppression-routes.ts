import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { parseAddress } from "../../../mail-address.ts";
import {
  findSuppressionsBefore,
  listSuppressions,
  removeSuppression,
} from "../../../suppressions/suppression-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { offsetOf, requireNoPage, toCursorPagination, toPagePagination } from "../list-wire.ts";
import {
  removalQuery,
  removedSuppressionResponse,
  suppressionList,
  suppressionQuery,
  toSuppressionEntry,
} from "./suppression-wire.ts";

export function suppressionRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "jwt");

  app.get(
    "/api/v1/suppression",
    {
      onRequest,
      schema: {
        operationId: "listSuppressions",
        summary: "List suppressed addresses",
        description:
          "Newest first, with the exact `total`. With `before`, the response has `next_before` instead of `total`.",
        tags: ["Suppressions"],
        security: needsJwt,
        querystring: suppressionQuery,
        response: { 200: suppressionList, ...errorResponses(401, 422) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { mode = "live", limit, page, before } = request.query;
      if (before !== undefined) {
        requireNoPage(page);
        const { suppressions, nextBefore } = await findSuppressionsBefore(db, mode, { before, limit });
        const pagination = toCursorPagination(limit, nextBefore);
        return { success: true as const, data: suppressions.map(toSuppressionEntry), pagination };
      }
      const offset = offsetOf(page ?? 1, limit);
      const { suppressions, total } = await listSuppressions(db, mode, { limit, offset });
      const pagination = toPagePagination(page ?? 1, limit, total);
      return { success: true as const, data: suppressions.map(toSuppressionEntry), pagination };
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
          "suppression list shortly afterwards.",
        tags: ["Suppressions"],
        security: needsJwt,
        params: z.object({ email: z.string().describe("The address, URL-encoded") }),
        querystring: removalQuery,
        response: { 200: removedSuppressionResponse, ...errorResponses(401, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { mode = "live" } = request.query;
      const address = parseAddress(request.params.email);
      const isRemoved = !("problem" in address) && (await removeSuppression(db, mode, address.key));
      if (!isRemoved) throw new AppError("NOT_FOUND", "This address is not on the suppression list of this account.");
      const message = `${request.params.email} was removed from the suppression list. Later sends to it are no longer filtered.`;
      return { success: true as const, message };
    },
  );
}
