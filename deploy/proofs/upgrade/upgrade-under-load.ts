import { setTimeout as sleep } from "node:timers/promises";
import { type ChaosCell, openCell } from "../../../chaos/cell/chaos-cell.ts";
import type { Supervised } from "../../../chaos/cell/supervised.ts";
import { inDoubtSettings } from "../../../chaos/cell/waiting-times.ts";
import { Load } from "../../../chaos/load/load.ts";
import { areEventsApplied } from "../../../chaos/scenarios/under-load.ts";
import { startProxyOfOneCell } from "../proxy-of-one-cell.ts";
import type { CodeTree } from "./code-tree.ts";
import { evaluateUpgrade, type UpgradeResult } from "./evaluate-upgrade.ts";
import { tryIncompatibleStep } from "./incompatible-step.ts";
import { alterWithoutTimeout, whileTransactionBlocks } from "./open-transaction.ts";

export interface UpgradeOptions {
  previous: CodeTree;
  next: CodeTree;
  seconds: number;
  perSecond: number;
  /** 0: no open transaction blocks the migration. */
  lockSeconds: number;
  /** Replaces an API and a worker at the same time, to be faster. */
  inPairs: boolean;
  /** Of the logs and the ledger. */
  folder: string;
  progress(message: string): void;
}

export interface UpgradeOutcome extends UpgradeResult {
  /** A migration that the previous code cannot live with was refused in every way. */
  isStepRefused: boolean;
}

/** Well above the longest pause that may be: workers still submit what they had claimed before. */
const controlLockSeconds = 15;
const finishWithinMs = 120_000;

/** Runs the previous code under load, migrates, replaces its processes one by one, goes back to it, and upgrades again. */
export async function upgradeUnderLoad(options: UpgradeOptions): Promise<UpgradeOutcome> {
  const { previous, folder, perSecond, seconds } = options;
  const cell = await openCell({
    folder,
    apis: 2,
    workers: 2,
    code: previous,
    environment: { ...inDoubtSettings("on"), DRAIN_SECONDS: undefined },
  });
  const [first = "", second = ""] = cell.apiUrls.map((url) => new URL(url).host);
  const proxy = await startProxyOfOneCell([first, second]);
  try {
    const load = new Load({
      urls: [`http://127.0.0.1:${proxy.port}`],
      senders: cell.senders,
      sends: null,
      perSecond,
      seed: Date.now() % 1_000_000,
      acknowledgedFile: `${folder}/acknowledged.ndjson`,
    });
    while (load.acknowledged().length < perSecond) await sleep(100);
    const startedAt = Date.now();
    const exits = await takeSteps(options, cell, startedAt);
    await sleep(Math.max(2_000, startedAt + seconds * 1000 - Date.now()));
    const endedAt = Date.now();
    const { unanswered, answers } = load.progress;

    options.progress("control: a lock without a timeout");
    await whileTransactionBlocks(cell.databaseUrl, controlLockSeconds, () => alterWithoutTimeout(cell.databaseUrl));
    const controlEndedAt = Date.now();
    await load.finish();
    await untilApplied(cell);
    const acknowledged = load.acknowledged();
    const times = { startedAt, endedAt, controlEndedAt };
    const result = await evaluateUpgrade(cell, { acknowledged, unanswered, answers, exits, ...times });
    options.progress("an incompatible step");
    const stepProblems = await tryIncompatibleStep(cell, options.next);
    return { ...result, problems: [...result.problems, ...stepProblems], isStepRefused: stepProblems.length === 0 };
  } finally {
    await proxy.stop();
    await cell.close();
  }
}

/** Spreads the steps over the time of the run. Returns how each replaced process ended. */
async function takeSteps(options: UpgradeOptions, cell: ChaosCell, startedAt: number): Promise<string[]> {
  const { previous, next, lockSeconds, inPairs, seconds, progress } = options;
  const exits: string[] = [];
  const migrate = () => next.migrate(cell.databaseUrl);
  const replace = async (each: Supervised, { posternPath }: CodeTree) => {
    const exit = await each.restart([posternPath, each.program.args.at(-1) ?? ""]);
    exits.push(`${each.program.name} ${exit?.code ?? exit?.signal}`);
  };
  const groups = inPairs
    ? cell.workers.map((worker, index) => [worker, ...cell.apis.slice(index, index + 1)])
    : [...cell.workers, ...cell.apis].map((each) => [each]);
  const replaceAllBy = (tree: CodeTree) =>
    groups.map((group) => async () => void (await Promise.all(group.map((each) => replace(each, tree)))));
  const steps = [
    () => (lockSeconds === 0 ? migrate() : whileTransactionBlocks(cell.databaseUrl, lockSeconds, migrate)),
    ...replaceAllBy(next),
    ...replaceAllBy(previous),
    migrate,
    ...replaceAllBy(next),
  ];
  for (const [index, step] of steps.entries()) {
    await sleep(Math.max(0, startedAt + (index * seconds * 1000) / steps.length - Date.now()));
    progress(`step ${index + 1} of ${steps.length}`);
    await step();
  }
  return exits;
}

async function untilApplied(cell: ChaosCell): Promise<void> {
  const end = performance.now() + finishWithinMs;
  // What is not applied in time shows as stuck or with a wrong status in the comparison.
  while (!(await areEventsApplied({ sendEvents: "on" }, cell)) && performance.now() < end) await sleep(250);
}
