import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import { SmallDisk } from "../cell/small-disk.ts";
import { Outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const megabytes = 400;

const timeoutSeconds = 30;

export const diskFull: Scenario = {
  promise:
    "with PostgreSQL's disk full, the API acknowledges no send that is not stored, and sending resumes when there is space",
  covers: [...sendPath, "service/src/api/http"],
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 60, faults: 3 },
  run: (context) => {
    const disk = new SmallDisk(megabytes);
    return underLoad(
      context,
      async (cell, load) => {
        const outages = new Outages();
        let refused = 0;
        for (let times = 1; times <= context.faults; times++) {
          await outages.untilOver(load, timeoutSeconds);
          await sleep(5_000);
          const before = unacknowledged(load.progress.answers);
          const end = performance.now() + context.faultSeconds * 1000;
          // A checkpoint removes WAL files, which frees space again.
          for (; performance.now() < end; await sleep(200)) disk.fill();
          refused += unacknowledged(load.progress.answers) - before;
          disk.free();
          outages.begin();
          await cell.postgres.startIfDown();
          context.progress(`the disk was full ${times} of ${context.faults} times`);
        }
        await outages.untilOver(load, timeoutSeconds);
        await load.finish();
        const others = Object.keys(load.progress.answers).filter((status) => !["202", "503"].includes(status));
        return {
          findings: [
            { what: "times the disk was full", value: context.faults, holds: context.faults > 0 },
            { what: "requests answered with 503 while the disk was full", value: refused, holds: refused > 0 },
            { what: "answers other than 202 and 503", value: others.join(" ") || 0, holds: others.length === 0 },
            outages.finding("seconds from free space to the next 202", load.acknowledged(), 10),
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
