import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "../load/load.ts";
import type { Stage } from "./scenario.ts";

/** Spreads the faults over the load, each at a random moment of its share; one that met nobody is made again. Returns how many there were. */
export async function killUnderLoad(stage: Stage, load: Load, strike: () => Promise<boolean>): Promise<number> {
  const share = stage.sends / (stage.faults + 1);
  let struck = 0;
  while (struck < stage.faults) {
    const at = share * struck + 1 + stage.dice.roll(Math.max(1, Math.floor(share)));
    while (load.progress.acknowledged < at && load.isRunning) await sleep(10);
    if (!load.isRunning) return struck;
    await sleep(stage.dice.roll(500));
    if (await strike()) struck += 1;
    stage.progress(`fault ${struck} of ${stage.faults}, ${load.progress.acknowledged} acknowledged`);
  }
  return struck;
}
