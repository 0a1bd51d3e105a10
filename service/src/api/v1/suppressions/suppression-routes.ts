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
import { errorAnswers, needsJwt } from "../../http/wire-format.ts";
import { cursorAnswer, offsetOf, pageAnswer, requireNoPage } from "../list-wire.ts";
import {
  removalQuery,
  removedSuppressionAnswer,
  suppressionList,
  suppressionQuery,
  toSuppressionAnswer,
} from "./suppression-wire.ts";

export function suppressionRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "jwt");

  app.get(
    "/api/v1/suppression",
    {
      onRequest,
      schema: {
        operationId: "listSuppressions",
        summary: "Addresses that are not mailed",
        description: "Newest first, with the exact `total`. With `before` the answer has `next_before` instead of it.",
        tags: ["Suppressions"],
        security: needsJwt,
        querystring: suppressionQuery,
        response: { 200: suppressionList, ...errorAnswers(401, 422) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { mode = "live", limit, page, before } = request.query;
      if (before !== undefined) {
        requireNoPage(page);
        const { suppressions, nextBefore } = await findSuppressionsBefore(db, mode, { before, limit });
        const pagination = cursorAnswer(limit, nextBefore);
        return { success: true as const, data: suppressions.map(toSuppressionAnswer), pagination };
      }
      const offset = offsetOf(page ?? 1, limit);
      const { suppressions, total } = await listSuppressions(db, mode, { limit, offset });
      const pagination = pageAnswer(page ?? 1, limit, total);
      return { success: true as const, data: suppressions.map(toSuppressionAnswer), pagination };
    },
  );

  app.delete(
    "/api/v1/suppression/:email",
    {
      onRequest,
      schema: {
        operationId: "removeSuppression",
        summary: "Take an address off the list",
        description:
          "Sends accepted after this answer go to it again. The provider has a list of its own, of which the address is " +
          "taken a moment later.",
        tags: ["Suppressions"],
        security: needsJwt,
        params: z.object({ email: z.string().describe("The address, URL-encoded") }),
        querystring: removalQuery,
        response: { 200: removedSuppressionAnswer, ...errorAnswers(401, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { mode = "live" } = request.query;
      const address = parseAddress(request.params.email);
      const isRemoved = !("problem" in address) && (await removeSuppression(db, mode, address.key));
      if (!isRemoved) throw new AppError("NOT_FOUND", "This address is not on the suppression list of this account.");
      const message = `${request.params.email} was removed from the suppression list. Later sends to it are not filtered.`;
      return { success: true as const, message };
    },
  );
}
