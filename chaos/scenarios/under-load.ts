import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { healthOf } from "../../service/proofs/feedback-cell.ts";
import { type CellOptions, type ChaosCell, openCell } from "../cell/chaos-cell.ts";
import { doubtSettings, restWithinSeconds } from "../cell/waiting-times.ts";
import { countOnTheirWay } from "../check/sends-of-record.ts";
import { Load } from "../load/load.ts";
import { startTrickle, trickleSeconds } from "../load/trickle.ts";
import { type Afterwards, judgeRun } from "./judge-run.ts";
import type { Outcome, Stage } from "./scenario.ts";

/** Events that a killed worker had in hand come again after 30 seconds, perhaps more than once. */
const eventsWithinSeconds = 100;

/** Opens a cell, drives load while `trouble` does its worst, lets everything come to rest and compares the three lists. */
export async function underLoad(
  stage: Stage,
  trouble: (cell: ChaosCell, load: Load) => Promise<Afterwards>,
  changes: Partial<CellOptions> = {},
): Promise<Outcome> {
  stage.progress("starting PostgreSQL, the simulator, 2 APIs and 3 workers");
  const cell = await openCell({
    folder: stage.folder,
    apis: 2,
    workers: 3,
    sendEvents: stage.sendEvents,
    ...changes,
    environment: { ...doubtSettings(stage.sendEvents), IN_DOUBT_POLICY: stage.policy, ...changes.environment },
  });
  try {
    const load = startLoad(stage, cell);
    const showing = showProgress(stage, load);
    const afterwards = await trouble(cell, load);
    await finishLoad(stage, load);
    clearInterval(showing);
    const restSeconds = await untilAtRest(stage, cell, afterwards);
    return await judgeRun(stage, cell, load, { afterwards, restSeconds });
  } finally {
    await cell.close();
  }
}

/** To its last send, or to those that were begun when it has none. */
export function finishLoad({ sends }: Stage, load: Load): Promise<void> {
  return Number.isFinite(sends) ? load.done() : load.finish();
}

function startLoad({ sends, perSecond, seed, folder }: Stage, { apiUrls, senders }: ChaosCell): Load {
  const acknowledgedFile = join(folder, "acknowledged.ndjson");
  return new Load({
    urls: apiUrls,
    senders,
    sends: Number.isFinite(sends) ? sends : null,
    perSecond,
    seed,
    acknowledgedFile,
  });
}

function showProgress(stage: Stage, load: Load): NodeJS.Timeout {
  return setInterval(() => {
    const { acknowledged, cut, answers } = load.progress;
    const others = Object.entries(answers).filter(([status]) => status !== "202");
    const told = others.map(([status, count]) => `, ${count} x ${status}`).join("");
    stage.progress(`${acknowledged} acknowledged, ${cut} without answer${told}`);
  }, 1_000).unref();
}

/** Nothing on its way, no event untold. Returns how long that took, and gives up when it takes too long. */
async function untilAtRest(stage: Stage, cell: ChaosCell, { longestPauseSeconds }: Afterwards): Promise<number> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const limit = restWithinSeconds(stage.sendEvents, longestPauseSeconds);
  const trickle = startTrickle(cell);
  for (let left = 1; left > 0 && seconds() < limit + trickleSeconds; await sleep(250)) {
    left = await countOnTheirWay(cell.db, trickleSeconds);
    stage.progress(`coming to rest: ${left} sends on their way`);
  }
  const restSeconds = seconds();
  await trickle.stop();
  while (!(await areEventsTaken(stage, cell)) && seconds() < restSeconds + eventsWithinSeconds) {
    stage.progress("coming to rest: events still to be told");
    await sleep(250);
  }
  return restSeconds;
}

/** All told to the queue, and of everything that is sent the end is known. */
async function areEventsTaken({ sendEvents }: Stage, { db, simulatorUrl }: ChaosCell): Promise<boolean> {
  if ((await countOnTheirWay(db, 0)) > 0) return false;
  if (sendEvents === "none") return true;
  const { pendingEvents } = await healthOf({ url: simulatorUrl });
  if (pendingEvents > 0) return false;
  const [row] = await db.query<{ count: number }>({
    name: "chaos-sent-only",
    text: `select count(*) as count from sends where status = 'sent'`,
  });
  return row?.count === 0;
}
