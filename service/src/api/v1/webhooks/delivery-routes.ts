import { curlOfDelivery } from "../../../webhooks/curl-of-delivery.ts";
import { requireEndpoint } from "../../../webhooks/endpoint-store.ts";
import { getDelivery, listDeliveries, noSuchDelivery } from "../../../webhooks/list-deliveries.ts";
import { replayDelivery } from "../../../webhooks/replay-delivery.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey, uuidParams } from "../../http/wire-format.ts";
import { toCursorPagination } from "../list-wire.ts";
import { modesToRead } from "../sends/send-mode.ts";
import {
  curlResponse,
  deliveryDetails,
  deliveryList,
  deliveryParams,
  deliveryQuery,
  replayResponse,
  toDelivery,
  toDeliveryDetails,
} from "./delivery-wire.ts";
import { requireUuid } from "./webhook-id.ts";

const common = { tags: ["Webhooks"], security: needsJwtOrKey };

export function webhookDeliveryRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/webhooks/:id/deliveries",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listWebhookDeliveries",
        summary: "List the deliveries to a webhook",
        description:
          "Newest first, for 30 days. `since` and `until` are about `created_at`. With `state` or `type`, one request searches at most 10,000.",
        params: uuidParams,
        querystring: deliveryQuery,
        response: { 200: deliveryList, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const id = requireUuid(request.params.id);
      await requireEndpoint(caller.db, modesToRead(caller, undefined), id);
      const { limit, send_id: sendId, ...filter } = request.query;
      const { deliveries, nextBefore } = await listDeliveries(caller.db, id, { ...filter, sendId, limit });
      const data = { deliveries: deliveries.map(toDelivery), pagination: toCursorPagination(limit, nextBefore) };
      return { success: true as const, data };
    },
  );

  app.get(
    "/api/v1/webhooks/:id/deliveries/:delivery_id",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getWebhookDelivery",
        summary: "Show a delivery with its attempts",
        params: deliveryParams,
        response: { 200: deliveryDetails, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const id = requireUuid(request.params.id);
      await requireEndpoint(caller.db, modesToRead(caller, undefined), id);
      const deliveryId = requireUuid(request.params.delivery_id, noSuchDelivery);
      const { credential } = caller;
      const showsSignatures = credential.kind !== "jwt" || credential.role !== "viewer";
      return toDeliveryDetails(await getDelivery(caller.db, id, deliveryId), { showsSignatures });
    },
  );

  app.post(
    "/api/v1/webhooks/:id/deliveries/:delivery_id/replay",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "replayWebhookDelivery",
        summary: "Send a notification again",
        description:
          "Makes a new delivery of the same notification, with the same `webhook-id` and body. A disabled webhook is 409, and so is a " +
          "notification whose body is no longer stored.",
        params: deliveryParams,
        response: { 202: replayResponse, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const endpointId = requireUuid(request.params.id);
      const id = requireUuid(request.params.delivery_id, noSuchDelivery);
      const replayId = await replayDelivery(caller.db, { modes: modesToRead(caller, undefined), endpointId, id });
      deps.webhooks.hint();
      return reply.code(202).send({ delivery_id: replayId });
    },
  );

  app.post(
    "/api/v1/webhooks/:id/deliveries/:delivery_id/curl",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getWebhookDeliveryCurl",
        summary: "Get a signed curl command for a delivery",
        description:
          "Postern sends nothing: the command repeats the request from your machine, with a new timestamp and signature of the present " +
          "secrets. Receivers accept it for five minutes. A notification whose body is no longer stored is 409.",
        params: deliveryParams,
        response: { 200: curlResponse, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const endpointId = requireUuid(request.params.id);
      const id = requireUuid(request.params.delivery_id, noSuchDelivery);
      const wanted = { modes: modesToRead(caller, undefined), endpointId, id };
      const { command, timestamp, expiresAt } = await curlOfDelivery(caller.db, deps.webhooks.contentKeys, wanted);
      return { command, timestamp, expires_at: expiresAt };
    },
  );
}
