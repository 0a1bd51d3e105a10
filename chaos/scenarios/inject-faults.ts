import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "../load/load.ts";
import type { RunContext } from "./scenario.ts";

/** The longest pause between two faults under an endless load. */
const longestGapMs = 3_000;

/**
 * Spreads the faults over the load, each at a random moment of its share. An endless load runs until all faults are
 * injected. `inject` returns false when it had no effect; then the fault is repeated. Returns the number of faults.
 */
export async function injectFaults(context: RunContext, load: Load, inject: () => Promise<boolean>): Promise<number> {
  let injected = 0;
  while (injected < context.faults) {
    await untilNext(context, load, injected);
    if (!load.isRunning) return injected;
    if (await inject()) injected += 1;
    context.progress(`fault ${injected} of ${context.faults}, ${load.progress.acknowledged} acknowledged`);
  }
  return injected;
}

async function untilNext({ sends, faults, dice }: RunContext, load: Load, injected: number): Promise<void> {
  if (Number.isFinite(sends)) {
    const share = sends / (faults + 1);
    const at = share * injected + 1 + dice.roll(Math.max(1, Math.floor(share)));
    while (load.progress.acknowledged < at && load.isRunning) await sleep(10);
    return;
  }
  await sleep(dice.roll(longestGapMs));
}
