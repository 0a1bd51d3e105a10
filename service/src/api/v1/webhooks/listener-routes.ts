import { createListener } from "../../../webhooks/listeners/create-listener.ts";
import { maxTaken, noSuchListener, takeNotifications } from "../../../webhooks/listeners/take-notifications.ts";
import { notificationTypes } from "../../../webhooks/notification-types.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey, uuidParams } from "../../http/wire-format.ts";
import { modesToRead, requireMode } from "../sends/send-mode.ts";
import {
  createListenerBody,
  listenerResponse,
  takeBody,
  takenResponse,
  toListenerResponse,
  toTakenResponse,
} from "./listener-wire.ts";
import { requireUuid } from "./webhook-id.ts";

const common = { tags: ["Webhooks"], security: needsJwtOrKey };

/** For `postern listen`. */
export function webhookListenerRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/webhooks/listeners",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "createWebhookListener",
        summary: "Create a listener, for development",
        description:
          "A webhook without a URL and a secret, as `postern listen` uses it: its notifications wait until you take them. It ends 60 seconds " +
          "after the last take, or when you delete it with `DELETE /webhooks/{id}`. It counts as one of the 10 webhooks of the account; the " +
          "other paths of webhooks do not show it.",
        body: createListenerBody,
        response: { 201: listenerResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { types = notificationTypes } = request.body;
      const mode = requireMode(caller, request.body.mode);
      return reply.code(201).send(toListenerResponse(await createListener(caller.db, { mode, types })));
    },
  );

  app.post(
    "/api/v1/webhooks/listeners/:id/take",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "takeNotifications",
        summary: "Take the notifications of a listener",
        description:
          "Returns the notifications that wait, oldest first, and extends the listener to 60 seconds from now. What it returns counts as " +
          "delivered and is not returned again. It does not wait for new notifications: ask once a second. A listener that has ended is 404.",
        params: uuidParams,
        body: takeBody,
        response: { 200: takenResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const listenerId = requireUuid(request.params.id, noSuchListener);
      const { limit = maxTaken } = request.body;
      return toTakenResponse(
        await takeNotifications(caller.db, { modes: modesToRead(caller, undefined), listenerId, limit }),
      );
    },
  );
}
