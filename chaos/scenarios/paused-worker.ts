import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const leases = 3;

export const pausedWorker: Scenario = {
  promise: "a worker that is paused for three leases and resumes doubles no send",
  covers: sendPath,
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 40, faults: 1 },
  run: (context) =>
    underLoad(context, async (cell, load) => {
      let paused = 0;
      for (; paused < context.faults; paused++) {
        await sleep(2_000 + context.dice.roll(3_000));
        const worker = cell.workers[context.dice.roll(cell.workers.length)];
        worker?.signal("SIGSTOP");
        context.progress(`a worker is paused for ${leases * leaseSeconds} seconds`);
        await sleep(leases * leaseSeconds * 1000);
        worker?.signal("SIGCONT");
        await sleep(5_000);
      }
      await load.finish();
      return { findings: [{ what: `pauses of ${leases} leases`, value: paused, holds: paused > 0 }], notes: [] };
    }),
};
