import { setTimeout as sleep } from "node:timers/promises";
import type { SesSimulator } from "@postern/ses-simulator";
import { isFull, queue, readState, type Stage, until, untilDrained } from "./pacing-stage.ts";
import { changeSimulator } from "./simulator-control.ts";

export type Problem = "quota" | "paused";

const settledMs = 250;
const quietMs = 400;

export interface Hold {
  queued: number;
  /** Refused before the hold was known to all. */
  before: number;
  probes: number;
  /** From when the hold was known to all until the probe that was taken. */
  submitted: number;
  heldSeconds: number;
}

/** One trouble after the other, a probe to find each, and one to find that all is well. */
export async function goThrough(stage: Stage, problems: Problem[]): Promise<Hold> {
  const { front, db, simulator } = stage;
  const [first = "quota", ...others] = problems;
  const queued = isFull(stage) ? 100 : 4;
  const seenBefore = front.seen.length;
  await change(simulator, first);
  await queue(stage, queued);
  await until(stage, `held for ${first}`, async () => (await readState(db)).hold === first);
  const started = performance.now();
  // What was claimed before the hold is answered by then; what comes after it is a probe, or one too many.
  await sleep(settledMs);
  const known = front.seen.length;
  await sleep(quietMs);
  for (const trouble of others) {
    await change(simulator, trouble);
    await waitForProbe(stage);
    await until(stage, `held for ${trouble}`, async () => (await readState(db)).hold === trouble);
  }
  await change(simulator, undefined);
  await waitForProbe(stage);
  await until(stage, "released", async () => (await readState(db)).hold === null);
  const heldSeconds = (performance.now() - started) / 1000;
  await untilDrained(stage);
  const whileHeld = front.seen.slice(known);
  const submitted = whileHeld.findIndex(({ status }) => status === 200) + 1;
  return { queued, before: known - seenBefore, probes: problems.length, submitted, heldSeconds };
}

function change(simulator: SesSimulator, trouble: Problem | undefined): Promise<void> {
  const account = { sendingEnabled: trouble !== "paused", max24HourSend: trouble === "quota" ? 0 : -1 };
  return changeSimulator(simulator, "PATCH", "account", account);
}

/** In its full size a minute; otherwise the time of the next probe is moved up. */
async function waitForProbe(stage: Stage): Promise<void> {
  const { front, db } = stage;
  const seen = front.seen.length;
  if (!isFull(stage)) await db.query({ name: "probe-now", text: "update provider_state set probe_at = now()" });
  await until(stage, "probed", () => Promise.resolve(front.seen.length > seen));
}
