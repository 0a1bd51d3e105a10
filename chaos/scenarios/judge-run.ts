import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ChaosCell } from "../cell/chaos-cell.ts";
import { restWithinSeconds } from "../cell/waiting-times.ts";
import { checkSends, type SendFindings } from "../check/check-sends.ts";
import { type Doubt, listDoubts } from "../check/doubts.ts";
import { readLedgerBySend } from "../check/ledger.ts";
import { readSends } from "../check/sends-of-record.ts";
import type { Load } from "../load/load.ts";
import type { Finding, Outcome, Stage } from "./scenario.ts";

/** What a scenario found out by itself. */
export interface Afterwards {
  findings: Finding[];
  notes: string[];
  /** Between two tries of a send, where the fault makes it try again. */
  longestPauseSeconds?: number;
}

/** Compares the three lists, and looks at the processes. */
export async function judgeRun(
  stage: Stage,
  cell: ChaosCell,
  load: Load,
  { afterwards, restSeconds }: { afterwards: Afterwards; restSeconds: number },
): Promise<Outcome> {
  const ledger = await readLedgerBySend(cell.ledgerFile);
  const sends = await readSends(cell.db);
  const found = checkSends({ acknowledged: load.acknowledged(), sends, ledger, sendEvents: stage.sendEvents });
  const doubts = listDoubts(sends, ledger);
  const atMost = restWithinSeconds(stage.sendEvents, afterwards.longestPauseSeconds);
  for (const doubt of doubts) appendFileSync(join(stage.folder, "in-doubt.ndjson"), `${JSON.stringify(doubt)}\n`);
  return {
    n: found.acknowledged,
    findings: [
      { what: "sends acknowledged", value: found.acknowledged, holds: found.acknowledged > 0 },
      ...afterwards.findings,
      ...sendFindings(stage, found, doubts),
      ...processFindings(cell),
      {
        what: `seconds until nothing was on its way (at most ${atMost})`,
        value: restSeconds.toFixed(1),
        holds: restSeconds <= atMost,
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
