import { z } from "zod";
import type { FieldProblem } from "../../../errors.ts";
import { parseIsoTime } from "../../../iso-time.ts";
import { maxExpirySeconds, maxScheduleSeconds } from "../../../sends/send-request.ts";

const isoTime = z.string().refine((text) => parseIsoTime(text) !== undefined, {
  error: "must be an ISO 8601 date-time, such as 2027-01-31T12:00:00Z",
});

export const expiresAt = isoTime
  .nullish()
  .describe(
    "An ISO 8601 date-time, at most 30 days ahead or after `scheduled_at`. Postern does not submit the send after it: it fails with " +
      "`EXPIRED`. The provider may still deliver later what it has accepted before",
  )
  .meta({ example: null });

export const ttlSeconds = z
  .int()
  .min(1)
  .max(maxExpirySeconds)
  .nullish()
  .describe(
    "Instead of `expires_at`: how long after its acceptance, or after `scheduled_at`, the send expires, 1 to 2592000 seconds",
  )
  .meta({ example: 600 });

export const scheduledAt = isoTime
  .nullish()
  .describe("An ISO 8601 date-time, at most 30 days ahead, before which the send waits. A time in the past is now")
  .meta({ example: null });

interface GivenTimes {
  expires_at?: unknown;
  ttl_seconds?: unknown;
  scheduled_at?: unknown;
}

/** What no field alone shows. A time in the past is a problem for a new send only: a repeat gets its first answer (accept-batch.ts). */
export function timeProblems({ expires_at, ttl_seconds, scheduled_at }: GivenTimes): FieldProblem[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  const [expiry, schedule] = [timeOf(expires_at), timeOf(scheduled_at)];
  const dueAt = Math.max(Date.now(), schedule ?? 0);
  const problems: FieldProblem[] = [];
  if (schedule !== undefined && schedule > Date.now() + maxScheduleSeconds * 1000) {
    problems.push({ field: "scheduled_at", code: "too_large", message: "must be at most 30 days ahead" });
  }
  if (isGiven(expires_at) && isGiven(ttl_seconds)) {
    problems.push({ field: "ttl_seconds", code: "contradiction", message: "must be absent when expires_at is given" });
  } else if (expiry !== undefined && schedule !== undefined && expiry <= schedule) {
    problems.push({ field: "expires_at", code: "contradiction", message: "must be after scheduled_at" });
  } else if (expiry !== undefined && expiry > dueAt + maxExpirySeconds * 1000) {
    const after = schedule === undefined ? "ahead" : "after scheduled_at";
    problems.push({ field: "expires_at", code: "too_large", message: `must be at most 30 days ${after}` });
  }
  return problems;
}

function timeOf(text: unknown): number | undefined {
  return typeof text === "string" ? parseIsoTime(text)?.getTime() : undefined;
}

export const expiredOnArrival: FieldProblem = {
  field: "expires_at",
  code: "in_the_past",
  message: "must be in the future",
};
