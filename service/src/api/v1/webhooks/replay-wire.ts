import { z } from "zod";
import { type Replay, replayStates } from "../../../webhooks/list-replays.ts";
import { maxReplayDays } from "../../../webhooks/start-replay.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { timeParameter } from "../list-wire.ts";
import { notificationType, utc } from "./webhook-wire.ts";

export const replayBody = z
  .strictObject({
    from: timeParameter.describe("Start of the range, in the past"),
    to: timeParameter.describe(
      `End of the range, at most ${maxReplayDays} days after \`from\`. A later time than now counts as now`,
    ),
    only_failed: z
      .boolean()
      .optional()
      .describe(
        "True sends only what failed: deliveries created in the range that are `failed` are sent again, and those that wait after a failed " +
          "attempt are attempted now. By default everything in the range is sent",
      )
      .meta({ example: true }),
  })
  .meta({ example: { from: "2026-11-14T00:00:00Z", to: "2026-11-15T00:00:00Z" } });

const anId = "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f";

/** Any other text is 404 like an unknown id. */
export const replayParams = z.object({
  id: z.string().describe("The `webhook_id`").meta({ format: "uuid", example: anId }),
  replay_id: z.string().describe("The `replay_id`").meta({ format: "uuid", example: anId }),
});

export const rangeReplay = z
  .object({
    replay_id: z.uuid(),
    from: wireTimestamp,
    to: wireTimestamp,
    types: z.array(notificationType).describe("The types of the webhook when the replay was requested"),
    only_failed: z.boolean().describe("Whether only what failed is sent again"),
    state: z
      .enum(replayStates)
      .describe("`running`: deliveries are being added. `done`: all are added. `cancelled`: no more are added"),
    progress: z
      .number()
      .min(0)
      .max(1)
      .describe("How much of the range has been read, from 0 to 1")
      .meta({ example: 0.25 }),
    deliveries: z.int().describe("How many deliveries were added so far").meta({ example: 500 }),
    created_at: wireTimestamp,
    finished_at: wireTimestamp.nullable().describe("Null while it is `running`"),
  })
  .meta({ id: "WebhookReplay", description: "A time range that is sent again to one webhook" });

export const replayList = z.array(rangeReplay).describe("Newest first, at most 100");

const dayMs = 86_400_000;

export function requireRange({ from, to, only_failed: isOnlyFailed = false }: z.infer<typeof replayBody>) {
  const ms = Date.parse(to) - Date.parse(from);
  if (ms <= 0) throw invalidRequest([{ field: "to", code: "contradiction", message: "must be later than from" }]);
  if (ms > maxReplayDays * dayMs) {
    const message = `is more than ${maxReplayDays} days after from; replay parts of the range one after the other`;
    throw invalidRequest([{ field: "to", code: "too_large", message }]);
  }
  return { from, to, isOnlyFailed };
}

export function toRangeReplay(replay: Replay): z.infer<typeof rangeReplay> {
  return {
    replay_id: replay.id,
    from: utc(replay.from),
    to: utc(replay.to),
    types: replay.types,
    only_failed: replay.isOnlyFailed,
    state: replay.state,
    progress: replay.progress,
    deliveries: replay.deliveries,
    created_at: utc(replay.createdAt),
    finished_at: replay.finishedAt && utc(replay.finishedAt),
  };
}
