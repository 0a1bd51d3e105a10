import { z } from "zod";
import { findSendOfKey } from "../../../accept/find-send-of-key.ts";
import { AppError } from "../../../errors.ts";
import { cancelSend } from "../../../queue/cancel-send.ts";
import { type Caller, domainOf } from "../../auth/authenticate.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt, uuidParams } from "../../http/wire-format.ts";
import { notCancellable } from "./not-cancellable.ts";
import { readingModeQuery, requireMode, sendingModeQuery, sendsToRead } from "./send-mode.ts";
import { idempotencyKeyText } from "./send-request-wire.ts";
import { sendRecord, toSendRecord } from "./send-response-wire.ts";

const cancelBody = z
  .strictObject({ idempotency_key: idempotencyKeyText.describe("The key of the send") })
  .meta({ example: { idempotency_key: "receipt-of-order-1001" } });

const common = {
  tags: ["Sends"],
  security: needsKeyOrJwt,
  response: { 200: sendRecord, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
};

/** Additions to the published interface. */
export function sendCancelRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/send/:id/cancel",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "cancelSend",
        summary: "Cancel a send",
        description:
          "Ends a queued send as `failed` with `CANCELLED`. After a 200 no worker submits it. A send that a worker is submitting, or that has " +
          "ended, is 409; the message says what happened. Cancelling it again is 200.",
        params: uuidParams,
        querystring: readingModeQuery,
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const visible = sendsToRead(caller, request.query.mode);
      const { id } = request.params;
      if (!z.guid().safeParse(id).success) throw noSuchSend("id");
      return cancelled(caller, visible, id);
    },
  );

  app.post(
    "/api/v1/send/cancel",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "cancelSendByKey",
        summary: "Cancel a send by its idempotency key",
        description:
          "As `POST /api/v1/send/{id}/cancel`, for a caller that has not seen the id. A key that no accepted send has is 404: a request that is " +
          "still on its way can be accepted after it.",
        querystring: sendingModeQuery,
        body: cancelBody,
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const mode = requireMode(caller, request.query.mode);
      const fingerprintKey = await deps.acceptDeps.fingerprintKeys.of(caller.accountId);
      const id = await findSendOfKey({ db: caller.db, fingerprintKey }, mode, request.body.idempotency_key);
      if (id === undefined) throw noSuchSend("idempotency key");
      return cancelled(caller, { modes: [mode], domain: domainOf(caller) }, id, "idempotency key");
    },
  );
}

async function cancelled(
  { db }: Caller,
  visible: ReturnType<typeof sendsToRead>,
  id: string,
  name: "id" | "idempotency key" = "id",
) {
  const send = await cancelSend(db, visible, id);
  if (send === undefined) throw noSuchSend(name);
  if (!send.isCancelled) throw notCancellable(send);
  return toSendRecord(send);
}

function noSuchSend(name: "id" | "idempotency key"): AppError {
  return new AppError("NOT_FOUND", `This account has no send with this ${name}.`);
}
