import { setTimeout as sleep } from "node:timers/promises";
import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const leases = 3;

export const pausedWorker: Scenario = {
  promise: "a worker that slept for three leases and wakes up doubles nothing",
  usual: { sends: Number.POSITIVE_INFINITY, perSecond: 40, faults: 1 },
  run: (stage) =>
    underLoad(stage, async (cell, load) => {
      let paused = 0;
      for (; paused < stage.faults; paused++) {
        await sleep(2_000 + stage.dice.roll(3_000));
        const worker = cell.workers[stage.dice.roll(cell.workers.length)];
        worker?.signal("SIGSTOP");
        stage.progress(`a worker sleeps for ${leases * leaseSeconds} seconds`);
        await sleep(leases * leaseSeconds * 1000);
        worker?.signal("SIGCONT");
        await sleep(5_000);
      }
      await load.finish();
      return { findings: [{ what: `pauses of ${leases} leases`, value: paused, holds: paused > 0 }], notes: [] };
    }),
};
