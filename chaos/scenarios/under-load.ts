import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { healthOf } from "../../service/proofs/cell/feedback-cell.ts";
import { type CellOptions, type ChaosCell, openCell } from "../cell/chaos-cell.ts";
import { finishLimitSeconds, inDoubtSettings } from "../cell/waiting-times.ts";
import { countUnfinished } from "../check/stored-sends.ts";
import { Load } from "../load/load.ts";
import { startTrickle, trickleSeconds } from "../load/trickle.ts";
import { evaluateRun, type ScenarioResult } from "./evaluate-run.ts";
import type { Outcome, RunContext } from "./scenario.ts";

/** SQS redelivers the events that a killed worker had received after 30 seconds, perhaps more than once. */
const eventsWithinSeconds = 100;

/** Opens a cell, runs the load while `runFaults` injects faults, waits until every send is finished and compares the three lists. */
export async function underLoad(
  context: RunContext,
  runFaults: (cell: ChaosCell, load: Load) => Promise<ScenarioResult>,
  changes: Partial<CellOptions> = {},
): Promise<Outcome> {
  context.progress("starting PostgreSQL, the simulator, 2 APIs and 3 workers");
  const cell = await openCell({
    folder: context.folder,
    apis: 2,
    workers: 3,
    sendEvents: context.sendEvents,
    ...changes,
    environment: { ...inDoubtSettings(context.sendEvents), IN_DOUBT_POLICY: context.policy, ...changes.environment },
  });
  try {
    const load = startLoad(context, cell);
    const showing = showProgress(context, load);
    const result = await runFaults(cell, load);
    await finishLoad(context, load);
    clearInterval(showing);
    const finishSeconds = await untilFinished(context, cell, result);
    return await evaluateRun(context, cell, load, { result, finishSeconds });
  } finally {
    await cell.close();
  }
}

/** Waits for the last send of the load. An endless load is stopped first. */
export function finishLoad({ sends }: RunContext, load: Load): Promise<void> {
  return Number.isFinite(sends) ? load.done() : load.finish();
}

function startLoad({ sends, perSecond, seed, folder }: RunContext, { apiUrls, senders }: ChaosCell): Load {
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

function showProgress(context: RunContext, load: Load): NodeJS.Timeout {
  return setInterval(() => {
    const { acknowledged, unanswered, answers } = load.progress;
    const others = Object.entries(answers).filter(([status]) => status !== "202");
    const otherAnswers = others.map(([status, count]) => `, ${count} x ${status}`).join("");
    context.progress(`${acknowledged} acknowledged, ${unanswered} unanswered${otherAnswers}`);
  }, 1_000).unref();
}

/** Waits until every send is finished and every event is applied, up to a limit. Returns how long the sends took. */
async function untilFinished(
  context: RunContext,
  cell: ChaosCell,
  { longestPauseSeconds }: ScenarioResult,
): Promise<number> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const limit = finishLimitSeconds(context.sendEvents, longestPauseSeconds);
  const trickle = startTrickle(cell);
  // The newest sends of the load count only after `trickleSeconds`; before that, none left proves nothing.
  const mayContinue = (left: number) => left > 0 || seconds() < trickleSeconds;
  for (let left = 1; mayContinue(left) && seconds() < limit + trickleSeconds; await sleep(250)) {
    left = await countUnfinished(cell.db, trickleSeconds);
    context.progress(`finishing: ${left} unfinished sends`);
  }
  const finishSeconds = seconds();
  await trickle.stop();
  while (!(await areEventsApplied(context, cell)) && seconds() < finishSeconds + eventsWithinSeconds) {
    context.progress("finishing: events are not applied yet");
    await sleep(250);
  }
  return finishSeconds;
}

/** The simulator has reported all events, and every send has its outcome. */
export async function areEventsApplied(
  { sendEvents }: Pick<RunContext, "sendEvents">,
  { db, simulatorUrl }: Pick<ChaosCell, "db" | "simulatorUrl">,
): Promise<boolean> {
  if ((await countUnfinished(db, 0)) > 0) return false;
  if (sendEvents === "none") return true;
  const { pendingEvents } = await healthOf({ url: simulatorUrl });
  if (pendingEvents > 0) return false;
  const [row] = await db.query<{ count: number }>({
    name: "chaos-sent-only",
    text: `select count(*) as count from sends where status = 'sent'`,
  });
  return row?.count === 0;
}
