import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "../load/load.ts";
import type { Stage } from "./scenario.ts";

/** Between two faults under a load without end. */
const longestGapMs = 3_000;

/**
 * Spreads the faults over the load, each at a random moment of its share; a load without end goes on until all are made.
 * One that met nobody is made again. Returns how many there were.
 */
export async function killUnderLoad(stage: Stage, load: Load, strike: () => Promise<boolean>): Promise<number> {
  let struck = 0;
  while (struck < stage.faults) {
    await untilNext(stage, load, struck);
    if (!load.isRunning) return struck;
    if (await strike()) struck += 1;
    stage.progress(`fault ${struck} of ${stage.faults}, ${load.progress.acknowledged} acknowledged`);
  }
  return struck;
}

async function untilNext({ sends, faults, dice }: Stage, load: Load, struck: number): Promise<void> {
  if (Number.isFinite(sends)) {
    const share = sends / (faults + 1);
    const at = share * struck + 1 + dice.roll(Math.max(1, Math.floor(share)));
    while (load.progress.acknowledged < at && load.isRunning) await sleep(10);
    return;
  }
  await sleep(dice.roll(longestGapMs));
}
