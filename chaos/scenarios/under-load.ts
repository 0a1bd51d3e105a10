import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { healthOf } from "../../service/proofs/feedback-cell.ts";
import { leaseSeconds } from "../../service/src/sends/claim-sends.ts";
import { type CellOptions, type ChaosCell, openCell } from "../cell/chaos-cell.ts";
import { checkSends, type SendFindings } from "../check/check-sends.ts";
import { type Doubt, listDoubts } from "../check/doubts.ts";
import { readLedgerBySend } from "../check/ledger.ts";
import { countOnTheirWay, readSends } from "../check/sends-of-record.ts";
import { Load } from "../load/load.ts";
import type { Finding, Outcome, Stage } from "./scenario.ts";

/** Longer than a message is hidden that a killed worker had in hand; less would call its silence evidence. */
export const inDoubtSeconds = 35;
/** What a send waits for evidence that will never come. */
const waitWithoutEvents = 20;
/** What is allowed beyond the lease and the waiting time. */
const graceSeconds = 30;

export interface Afterwards {
  findings: Finding[];
  notes: string[];
}

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
    environment: settingsOf(stage),
  });
  try {
    const load = startLoad(stage, cell);
    const showing = showProgress(stage, load);
    const afterwards = await trouble(cell, load);
    await finishLoad(stage, load);
    clearInterval(showing);
    const restSeconds = await untilAtRest(stage, cell);
    return await judge(stage, cell, load, { afterwards, restSeconds });
  } finally {
    await cell.close();
  }
}

/** To its last send, or to those that were begun when it has none. */
export function finishLoad({ sends }: Stage, load: Load): Promise<void> {
  return Number.isFinite(sends) ? load.done() : load.finish();
}

function settingsOf({ sendEvents, policy }: Stage) {
  const IN_DOUBT_MAX_SECONDS = String(sendEvents === "on" ? 600 : waitWithoutEvents);
  return { IN_DOUBT_SECONDS: String(inDoubtSeconds), IN_DOUBT_MAX_SECONDS, IN_DOUBT_POLICY: policy };
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
async function untilAtRest(stage: Stage, cell: ChaosCell): Promise<number> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const limit = restWithin(stage) + 60;
  let restedAt: number | undefined;
  for (;;) {
    const left = await countOnTheirWay(cell.db);
    if (left === 0) restedAt ??= seconds();
    else restedAt = undefined;
    if (restedAt !== undefined && (await areEventsTaken(cell))) return restedAt;
    if (seconds() > limit) return restedAt ?? seconds();
    stage.progress(`coming to rest: ${left} sends on their way`);
    await sleep(250);
  }
}

function restWithin({ sendEvents }: Stage): number {
  return leaseSeconds + (sendEvents === "on" ? inDoubtSeconds : waitWithoutEvents) + graceSeconds;
}

/** All told to the queue, and of everything that is sent the end is known. */
async function areEventsTaken({ db, simulatorUrl }: ChaosCell): Promise<boolean> {
  const { pendingEvents } = await healthOf({ url: simulatorUrl });
  if (pendingEvents > 0) return false;
  const [row] = await db.query<{ count: number }>({
    name: "chaos-sent-only",
    text: `select count(*) as count from sends where status = 'sent'`,
  });
  return row?.count === 0;
}

async function judge(
  stage: Stage,
  cell: ChaosCell,
  load: Load,
  { afterwards, restSeconds }: { afterwards: Afterwards; restSeconds: number },
): Promise<Outcome> {
  const ledger = await readLedgerBySend(cell.ledgerFile);
  const sends = await readSends(cell.db);
  const found = checkSends({ acknowledged: load.acknowledged(), sends, ledger, sendEvents: stage.sendEvents });
  const doubts = listDoubts(sends, ledger);
  for (const doubt of doubts) appendFileSync(join(stage.folder, "in-doubt.ndjson"), `${JSON.stringify(doubt)}\n`);
  return {
    n: found.acknowledged,
    findings: [
      { what: "sends acknowledged", value: found.acknowledged, holds: found.acknowledged > 0 },
      ...afterwards.findings,
      ...sendFindings(stage, found, doubts),
      ...processFindings(cell),
      {
        what: `seconds until nothing was on its way (at most ${restWithin(stage)})`,
        value: restSeconds.toFixed(1),
        holds: restSeconds <= restWithin(stage),
      },
    ],
    notes: [...afterwards.notes, ...tellWrongs(found), ...tellDoubts(doubts, stage.folder)],
  };
}

function sendFindings({ sendEvents, policy }: Stage, found: SendFindings, doubts: Doubt[]): Finding[] {
  const mayDouble = sendEvents !== "on" && policy === "resend";
  return [
    ...Object.entries(found.wrongs).map(([what, list]) => ({ what, value: list.length, holds: list.length === 0 })),
    {
      what: mayDouble ? "doubled (each was in doubt)" : "doubled",
      value: found.doubled.length,
      holds: found.doubled.length === 0 || (mayDouble && found.doubled.length <= doubts.length),
    },
    {
      what: "outcome unknown",
      value: found.outcomeUnknown.length,
      holds: found.outcomeUnknown.length === 0 || policy === "fail",
    },
    { what: "sends in doubt, or told of before the answer was written", value: doubts.length },
    ...[...Map.groupBy(doubts, ({ resolution }) => resolution)].map(([resolution, list]) => ({
      what: `  ${resolution}`,
      value: list.length,
      holds: resolution !== "unresolved",
    })),
  ];
}

/** A process that ends by itself, or says that something was not thought of, is a bug whatever became of the sends. */
function processFindings({ apis, workers }: ChaosCell): Finding[] {
  const processes = [...apis, ...workers];
  const ended = processes.reduce((sum, each) => sum + each.deathsOfItsOwn, 0);
  const outcries = processes.flatMap((each) => each.outcries);
  return [
    { what: "processes that ended by themselves", value: ended, holds: ended === 0 },
    { what: "unhandled errors", value: outcries.length, holds: outcries.length === 0 },
  ];
}

const shown = 20;

function tellWrongs({ wrongs, doubled }: SendFindings): string[] {
  return Object.entries({ ...wrongs, doubled }).flatMap(([what, list]) =>
    list.slice(0, shown).map((send) => `${what}: ${send}`),
  );
}

function tellDoubts(doubts: Doubt[], folder: string): string[] {
  const lines = doubts
    .slice(0, shown)
    .map(({ id, resolution, attempts }) => `in doubt: ${id} [${attempts.join(", ")}] ${resolution}`);
  return doubts.length > shown ? [...lines, `all ${doubts.length}: ${join(folder, "in-doubt.ndjson")}`] : lines;
}
