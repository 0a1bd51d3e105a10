import { cancelReplay } from "../../../webhooks/cancel-replay.ts";
import { requireEndpoint } from "../../../webhooks/endpoint-store.ts";
import { getReplay, listReplays, noSuchReplay } from "../../../webhooks/list-replays.ts";
import { startReplay } from "../../../webhooks/start-replay.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey, uuidParams } from "../../http/wire-format.ts";
import { modesToRead } from "../sends/send-mode.ts";
import { rangeReplay, replayBody, replayList, replayParams, requireRange, toRangeReplay } from "./replay-wire.ts";
import { requireUuid } from "./webhook-id.ts";

const common = { tags: ["Webhooks"], security: needsJwtOrKey };

export function webhookReplayRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/webhooks/:id/replay",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "replayWebhook",
        summary: "Send a time range again",
        description:
          "Sends everything of its types that happened or was notified in the range, also from before the webhook existed, each once. A stored " +
          "notification keeps its body and `webhook-id`. Where none is stored, `send.delivered`, `send.bounced`, `send.complained` and " +
          "`send.suppressed` are rebuilt with the same `webhook-id`, with `rebuilt: true` and without `sequence`. New notifications are sent " +
          "first. With `only_failed` it sends only what failed. A disabled webhook is 409, and so is a second replay while one is running.",
        params: uuidParams,
        body: replayBody,
        response: { 202: rangeReplay, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const endpoint = { modes: modesToRead(caller, undefined), endpointId: requireUuid(request.params.id) };
      const replay = await startReplay(caller.db, endpoint, requireRange(request.body));
      deps.webhooks.hint();
      return reply.code(202).send(toRangeReplay(replay));
    },
  );

  app.get(
    "/api/v1/webhooks/:id/replays",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "listWebhookReplays",
        summary: "List the replays of a webhook",
        description: "Newest first, at most 100. A replay is kept for 30 days after its end.",
        params: uuidParams,
        response: { 200: replayList, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const id = requireUuid(request.params.id);
      await requireEndpoint(caller.db, modesToRead(caller, undefined), id);
      return (await listReplays(caller.db, id)).map(toRangeReplay);
    },
  );

  app.get(
    "/api/v1/webhooks/:id/replays/:replay_id",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getWebhookReplay",
        summary: "Show a replay and its progress",
        params: replayParams,
        response: { 200: rangeReplay, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const id = requireUuid(request.params.id);
      await requireEndpoint(caller.db, modesToRead(caller, undefined), id);
      return toRangeReplay(await getReplay(caller.db, id, requireUuid(request.params.replay_id, noSuchReplay)));
    },
  );

  app.post(
    "/api/v1/webhooks/:id/replays/:replay_id/cancel",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "cancelWebhookReplay",
        summary: "Cancel a replay",
        description:
          "Adds no more deliveries. At most 1,000 that it added may still be sent. A replay that has ended is 409.",
        params: replayParams,
        response: { 200: rangeReplay, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const endpointId = requireUuid(request.params.id);
      const id = requireUuid(request.params.replay_id, noSuchReplay);
      return toRangeReplay(await cancelReplay(caller.db, { modes: modesToRead(caller, undefined), endpointId, id }));
    },
  );
}
