import { changeEndpoint } from "../../../webhooks/change-endpoint.ts";
import { deleteEndpoint } from "../../../webhooks/delete-endpoint.ts";
import { createEndpoint, getEndpoint, listEndpoints } from "../../../webhooks/endpoint-store.ts";
import { requireUrl } from "../../../webhooks/require-url.ts";
import { defaultOverlapSeconds, rotateSecret } from "../../../webhooks/rotate-secret.ts";
import { sendTestNotification } from "../../../webhooks/test-notification.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey, uuidParams } from "../../http/wire-format.ts";
import { modesToRead, requireMode } from "../sends/send-mode.ts";
import { requireUuid } from "./webhook-id.ts";
import {
  changeWebhookBody,
  createdWebhookResponse,
  createWebhookBody,
  deletedWebhookResponse,
  rotateBody,
  rotatedWebhookResponse,
  testBody,
  testResponse,
  toWebhookResponse,
  webhookList,
  webhookQuery,
  webhookResponse,
} from "./webhook-wire.ts";

const common = { tags: ["Webhooks"], security: needsJwtOrKey };

export function webhookRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);
  const { contentKeys, urlRules } = deps.webhooks;

  app.post(
    "/api/v1/webhooks",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "createWebhook",
        summary: "Create a webhook",
        description:
          "Only this response contains the secret. Store it now. An account can have 10 webhooks. What happened before is not sent.",
        body: createWebhookBody,
        response: { 201: createdWebhookResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { url, types, description = null } = request.body;
      const mode = requireMode(caller, request.body.mode);
      await requireUrl(caller.db, urlRules, url);
      const created = await createEndpoint(caller.db, contentKeys, { mode, url, description, types });
      return reply.code(201).send({ ...toWebhookResponse(created), secret: created.secret });
    },
  );

  app.get(
    "/api/v1/webhooks",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listWebhooks",
        summary: "List the account's webhooks",
        querystring: webhookQuery,
        response: { 200: webhookList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const endpoints = await listEndpoints(caller.db, modesToRead(caller, request.query.mode));
      return endpoints.map(toWebhookResponse);
    },
  );

  app.get(
    "/api/v1/webhooks/:id",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getWebhook",
        summary: "Show a webhook",
        params: uuidParams,
        response: { 200: webhookResponse, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const id = requireUuid(request.params.id);
      return toWebhookResponse(await getEndpoint(caller.db, modesToRead(caller, undefined), id));
    },
  );

  app.patch(
    "/api/v1/webhooks/:id",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "changeWebhook",
        summary: "Change a webhook, or disable and enable it",
        description:
          "Fields that are absent stay. While it is disabled, nothing new is stored for it, and what waited is `paused`; enabling sends it.",
        params: uuidParams,
        body: changeWebhookBody,
        response: { 200: webhookResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const modes = modesToRead(caller, undefined);
      const id = requireUuid(request.params.id);
      const { url, description, types, enabled: isEnabled } = request.body;
      if (url !== undefined) await requireUrl(caller.db, urlRules, url);
      await changeEndpoint(caller.db, modes, id, { url, description, types, isEnabled });
      return toWebhookResponse(await getEndpoint(caller.db, modes, id));
    },
  );

  app.delete(
    "/api/v1/webhooks/:id",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "deleteWebhook",
        summary: "Delete a webhook",
        description: "Its deliveries that did not end are cancelled.",
        params: uuidParams,
        response: { 200: deletedWebhookResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      await deleteEndpoint(caller.db, modesToRead(caller, undefined), requireUuid(request.params.id));
      return { message: "The webhook is deleted. What was not delivered to it is cancelled." };
    },
  );

  app.post(
    "/api/v1/webhooks/:id/rotate",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "rotateWebhookSecret",
        summary: "Give a webhook a new secret",
        description:
          "Only this response contains the new secret. Until the overlap ends, every request has a signature of each secret. At most two " +
          "earlier secrets can still sign.",
        params: uuidParams,
        body: rotateBody,
        response: { 200: rotatedWebhookResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const modes = modesToRead(caller, undefined);
      const id = requireUuid(request.params.id);
      const overlapSeconds = request.body.overlap_seconds ?? defaultOverlapSeconds;
      const rotated = await rotateSecret(caller.db, contentKeys, { modes, id }, { overlapSeconds });
      const webhook = toWebhookResponse(await getEndpoint(caller.db, modes, id));
      return { ...webhook, secret: rotated.secret, previous_secrets_end_at: rotated.previousEndsAt };
    },
  );

  app.post(
    "/api/v1/webhooks/:id/test",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "testWebhook",
        summary: "Send an example notification to a webhook",
        description:
          "Its `data` has `test: true`. It is sent, signed and retried like any other. A disabled webhook is 409.",
        params: uuidParams,
        body: testBody,
        response: { 202: testResponse, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const endpoint = { modes: modesToRead(caller, undefined), endpointId: requireUuid(request.params.id) };
      const sent = await sendTestNotification(caller.db, endpoint, request.body.type);
      deps.webhooks.hint();
      return reply.code(202).send({ delivery_id: sent.deliveryId, notification_id: sent.publicId });
    },
  );
}
