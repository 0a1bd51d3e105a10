import { setTimeout as sleep } from "node:timers/promises";
import { describeCell } from "../../src/cli/describe-cell.ts";
import type { Database } from "../../src/db/database.ts";
import { countLimitForPeople, readCellState } from "../../src/status/cell-state.ts";
import { findProblems } from "../../src/status/find-problems.ts";
import type { PosternProcess } from "../../test/spawn-postern.ts";

/** What an operator sees of a fault in each of the three places. */
export interface Symptom {
  problem: RegExp;
  metric: RegExp;
}

const rule = { feedbackGapSeconds: 86_400, hasFeedbackQueue: true };

/** The problems that concern processes, claims and chores. */
const ofProcesses =
  /No worker is running|crashed or is frozen|^The claims of|neither on hold|queue of chores|^The chore/;

/** Waits until status, `/health` and `/metrics` all show the symptom. Returns the seconds it took, or undefined. */
export async function noticedWithin(
  limitSeconds: number,
  symptom: Symptom,
  { db, observer }: { db: Database; observer: PosternProcess },
): Promise<number | undefined> {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  while (seconds() < limitSeconds) {
    const [inStatus, inHealth, metrics] = await Promise.all([
      readStatus(db),
      readDegraded(observer),
      readMetrics(observer),
    ]);
    const isInStatus = inStatus.split("\n").some((line) => symptom.problem.test(line.replace(/^ *✗ /, "")));
    if (isInStatus && inHealth.some((what) => symptom.problem.test(what)) && symptom.metric.test(metrics)) {
      return seconds();
    }
    await sleep(500);
  }
  return undefined;
}

/** The page of `postern status`. */
async function readStatus(db: Database): Promise<string> {
  const state = await readCellState(db, rule, countLimitForPeople);
  return describeCell(state, findProblems(state), rule);
}

export async function readDegraded({ operationsUrl }: PosternProcess): Promise<string[]> {
  const response = await fetch(`${operationsUrl}/health`);
  const { degraded } = (await response.json()) as { degraded: string[] };
  return degraded;
}

/** Only problems of processes: a fault of SES or a hold is not the subject. */
export async function readAlarms(observer: PosternProcess): Promise<string[]> {
  return (await readDegraded(observer)).filter((what) => ofProcesses.test(what));
}

async function readMetrics({ operationsUrl }: PosternProcess): Promise<string> {
  return (await fetch(`${operationsUrl}/metrics`)).text();
}
