import type { Answer } from "../../../api/call.ts";
import { formatSeconds } from "../seconds.ts";

type Process = Answer<"GET /api/v1/operator/processes">["processes"][number];

/** The status and the word of a process. A short failure is an interruption, such as a restart of the database. */
export function processLook(process: Process): { status: string; word: string } {
  const { condition, replaced, claims_failing_seconds: claims, chores_failing_seconds: chores } = process;
  if (condition === "stopped") return { status: "paused", word: "Stopped" };
  if (condition === "vanished") {
    return replaced ? { status: "paused", word: "Crashed, replaced" } : { status: "failed", word: "Crashed or frozen" };
  }
  if (claims !== null) return { status: "failed", word: `Claims fail, ${formatSeconds(claims)}` };
  if (chores !== null) return { status: "warned", word: `Chores fail, ${formatSeconds(chores)}` };
  return { status: "active", word: "Alive" };
}
