import { setTimeout as sleep } from "node:timers/promises";
import type { SesSimulator } from "@postern/ses-simulator";
import { changeSimulator } from "../cell/simulator-control.ts";
import { isFull, type PacingFixture, queue, readState, until, untilDrained } from "./pacing-fixture.ts";

export type Problem = "quota" | "paused";

const settledMs = 250;
const observeMs = 400;

export interface Hold {
  queued: number;
  /** Submissions before every worker knew of the hold. */
  before: number;
  probes: number;
  /** Submissions from then until the accepted probe. */
  submitted: number;
  heldSeconds: number;
}

/** Causes one problem after the other. A probe finds each of them, and a last probe ends the hold. */
export async function runHoldCycle(fixture: PacingFixture, problems: Problem[]): Promise<Hold> {
  const { proxy, db, simulator } = fixture;
  const [first = "quota", ...others] = problems;
  const queued = isFull(fixture) ? 100 : 4;
  const seenBefore = proxy.seen.length;
  await setProblem(simulator, first);
  await queue(fixture, queued);
  await until(fixture, `a hold for ${first}`, async () => (await readState(db)).hold === first);
  const started = performance.now();
  // By then the provider has answered every submission claimed before the hold; each later one must be a probe.
  await sleep(settledMs);
  const known = proxy.seen.length;
  await sleep(observeMs);
  for (const problem of others) {
    await setProblem(simulator, problem);
    await waitForProbe(fixture);
    await until(fixture, `a hold for ${problem}`, async () => (await readState(db)).hold === problem);
  }
  await setProblem(simulator, undefined);
  await waitForProbe(fixture);
  await until(fixture, "the end of the hold", async () => (await readState(db)).hold === null);
  const heldSeconds = (performance.now() - started) / 1000;
  await untilDrained(fixture);
  const whileHeld = proxy.seen.slice(known);
  const submitted = whileHeld.findIndex(({ status }) => status === 200) + 1;
  return { queued, before: known - seenBefore, probes: problems.length, submitted, heldSeconds };
}

function setProblem(simulator: SesSimulator, problem: Problem | undefined): Promise<void> {
  const account = { sendingEnabled: problem !== "paused", max24HourSend: problem === "quota" ? 0 : -1 };
  return changeSimulator(simulator, "PATCH", "account", account);
}

/** At full size this takes a minute; at small size the next probe is made due immediately. */
async function waitForProbe(fixture: PacingFixture): Promise<void> {
  const { proxy, db } = fixture;
  const seen = proxy.seen.length;
  if (!isFull(fixture)) await db.query({ name: "probe-now", text: "update provider_state set probe_at = now()" });
  await until(fixture, "a probe", () => Promise.resolve(proxy.seen.length > seen));
}
