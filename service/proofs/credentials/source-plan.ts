import { setTimeout as sleep } from "node:timers/promises";

/** What a source of AWS credentials does with requests that start during a phase. */
export interface Phase {
  seconds: number;
  /** `hang`: answer when the phase ends. `never`: do not answer. `trickle`: answer byte by byte until the phase ends. */
  does: "answer" | "hang" | "never" | "fail" | "trickle";
}

export interface SourcePlan {
  /** The first use of the source, in milliseconds since 1970: a busy machine may take long to start a worker. */
  startMs: number;
  /** After the last phase the source answers. */
  phases: Phase[];
}

export interface PlannedAnswer {
  does: Phase["does"];
  /** Until the end of the phase. */
  remainingMs: number;
}

export function plannedAnswer({ startMs, phases }: SourcePlan, nowMs: number): PlannedAnswer {
  let endMs = startMs;
  for (const { seconds, does } of phases) {
    endMs += seconds * 1000;
    if (nowMs < endMs) return { does, remainingMs: endMs - nowMs };
  }
  return { does: "answer", remainingMs: 0 };
}

/** The SDK loads credentials again when they end within five minutes, so these are due for a refresh after a few seconds. */
const validSeconds = 5 * 60 + 4;

/** The text of new credentials, once the plan lets the source answer; undefined when it fails. */
export async function answerAsPlanned(plan: SourcePlan): Promise<Record<string, unknown> | undefined> {
  const { does, remainingMs } = plannedAnswer(plan, Date.now());
  if (does === "fail") return undefined;
  if (does === "never") await sleep(24 * 3_600_000);
  if (does === "hang") await sleep(remainingMs);
  const expiration = new Date(Date.now() + validSeconds * 1000).toISOString();
  return { AccessKeyId: "simulator", SecretAccessKey: "simulator", Token: "token", Expiration: expiration };
}
