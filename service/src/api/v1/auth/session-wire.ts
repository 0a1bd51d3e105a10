import { z } from "zod";
import type { OpenSession } from "../../../logins/session-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

const sessionResponse = z
  .object({
    id: z.uuid().describe("Id of the session"),
    current: z.boolean().describe("True for the session of this request"),
    device: z
      .string()
      .nullable()
      .describe("`User-Agent` of the last log-in or refresh; null if it had none")
      .meta({ example: "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0" }),
    address: z
      .string()
      .nullable()
      .describe("IP address of the last log-in or refresh; null if it is unknown")
      .meta({ example: "203.0.113.7" }),
    created_at: wireTimestamp.describe("Time of the log-in"),
    last_used_at: wireTimestamp.describe("Time of the last refresh, accurate to two minutes"),
    expires_at: wireTimestamp.describe("Time at which the session ends in any case"),
  })
  .meta({ id: "Session", description: "A login of the user that has not ended" });

export const sessionList = z
  .object({ sessions: z.array(sessionResponse) })
  .describe("The user's sessions, most recently used first");

export const endedSessionResponse = z
  .object({ success: z.literal(true), message: z.string() })
  .describe("The session has ended");

export const endedSessionsResponse = z
  .object({ success: z.literal(true), ended: z.int().describe("How many sessions ended") })
  .describe("All other sessions have ended");

export function toSessionResponse(session: OpenSession, currentId: string): z.infer<typeof sessionResponse> {
  return {
    id: session.id,
    current: session.id === currentId,
    device: session.device,
    address: session.address,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
  };
}
