import { Writable } from "node:stream";
import type { Database } from "../../service/src/db/database.ts";
import { createLog } from "../../service/src/log.ts";
import { startTicker } from "../../service/src/loops/ticker.ts";
import { countLimitForMetrics, readCellState } from "../../service/src/status/cell-state.ts";
import { findProblems } from "../../service/src/status/find-problems.ts";
import { heldTooLongSeconds } from "../../service/src/storage/held-snapshots.ts";
import { storageChores } from "../../service/src/storage/storage-chores.ts";
import { retentionDays } from "./load-dataset.ts";

/** Runs the chore that reports held snapshots, as a worker does. In a short run its limit is half of the held time. */
export function watchForAlarm(db: Database, pid: number, heldSeconds: number) {
  const begun = performance.now();
  let alarmAfterSeconds = Number.POSITIVE_INFINITY;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      const line = JSON.parse(String(chunk));
      const isAlarm = line.event === "storage.snapshot-held" && line.pid === pid;
      if (isAlarm) alarmAfterSeconds = Math.min(alarmAfterSeconds, (performance.now() - begun) / 1000);
      done();
    },
  });
  const chore = storageChores({
    db,
    log: createLog("warn", stream),
    partitionSpan: "month",
    contentRetentionDays: retentionDays,
    auditRetentionDays: 400,
    heldTooLongSeconds: Math.min(heldTooLongSeconds, heldSeconds / 2),
  }).find(({ name }) => name === "watch-snapshots");
  if (chore === undefined) throw new Error("there is no chore watch-snapshots");
  const pauseMs = Math.min(chore.pauseSeconds, heldSeconds / 10) * 1000;
  const ticker = startTicker({ pauseMs, run: chore.run, onFailure: (error) => console.error(error) });
  return {
    async stop() {
      await ticker.stop();
      const rule = { feedbackGapSeconds: 900, hasFeedbackQueue: true };
      const problems = findProblems(await readCellState(db, rule, countLimitForMetrics));
      return { alarmAfterSeconds, isInStatus: problems.some(({ what }) => what.includes(`(pid ${pid})`)) };
    },
  };
}
