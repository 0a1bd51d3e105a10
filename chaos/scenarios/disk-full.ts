import { setTimeout as sleep } from "node:timers/promises";
import { SmallDisk } from "../cell/small-disk.ts";
import { Outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const megabytes = 400;

const patienceSeconds = 30;

export const diskFull: Scenario = {
  promise:
    "with the disk of PostgreSQL full nothing is acknowledged that is not stored, and all goes on when there is space",
  usual: { sends: Number.POSITIVE_INFINITY, perSecond: 60, faults: 3 },
  run: (stage) => {
    const disk = new SmallDisk(megabytes);
    return underLoad(
      stage,
      async (cell, load) => {
        const outages = new Outages();
        let refused = 0;
        for (let times = 1; times <= stage.faults; times++) {
          await outages.untilOver(load, patienceSeconds);
          await sleep(5_000);
          const before = unacknowledged(load.progress.answers);
          const end = performance.now() + stage.faultSeconds * 1000;
          // Log files that a checkpoint gives back are space again.
          for (; performance.now() < end; await sleep(200)) disk.fill();
          refused += unacknowledged(load.progress.answers) - before;
          disk.free();
          outages.began();
          await cell.postgres.startIfDown();
          stage.progress(`the disk was full for the ${times}. time`);
        }
        await outages.untilOver(load, patienceSeconds);
        await load.finish();
        const others = Object.keys(load.progress.answers).filter((status) => !["202", "503"].includes(status));
        return {
          findings: [
            { what: "times the disk was full", value: stage.faults, holds: stage.faults > 0 },
            { what: "requests answered with 503 meanwhile", value: refused, holds: refused > 0 },
            { what: "answers other than 202 and 503", value: others.join(" ") || 0, holds: others.length === 0 },
            outages.finding("seconds from space to the next 202", load.acknowledged(), 10),
          ],
          notes: [],
        };
      },
      { postgresFolder: disk.folder },
    );
  },
};

function unacknowledged(answers: Record<string, number>): number {
  return Object.entries(answers).reduce((sum, [status, count]) => (status === "202" ? sum : sum + count), 0);
}
