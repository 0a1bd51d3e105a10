import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ChaosCell } from "../cell/chaos-cell.ts";
import { finishLimitSeconds } from "../cell/waiting-times.ts";
import { checkSends, type SendFindings } from "../check/check-sends.ts";
import { type InDoubtSend, listInDoubtSends } from "../check/in-doubt-sends.ts";
import { readLedgerBySend } from "../check/ledger.ts";
import { readSends } from "../check/stored-sends.ts";
import type { Load } from "../load/load.ts";
import type { Finding, Outcome, RunContext } from "./scenario.ts";

/** What a scenario measured itself. */
export interface ScenarioResult {
  findings: Finding[];
  notes: string[];
  /** The longest pause between two attempts of a send, for faults that cause retries. */
  longestPauseSeconds?: number;
}

/** Compares the three lists, and checks the processes for unexpected errors and exits. */
export async function evaluateRun(
  context: RunContext,
  cell: ChaosCell,
  load: Load,
  { result, finishSeconds }: { result: ScenarioResult; finishSeconds: number },
): Promise<Outcome> {
  const ledger = await readLedgerBySend(cell.ledgerFile);
  const sends = await readSends(cell.db);
  const found = checkSends({ acknowledged: load.acknowledged(), sends, ledger, sendEvents: context.sendEvents });
  const inDoubt = listInDoubtSends(sends, ledger);
  const atMost = finishLimitSeconds(context.sendEvents, result.longestPauseSeconds);
  for (const send of inDoubt) appendFileSync(join(context.folder, "in-doubt.ndjson"), `${JSON.stringify(send)}\n`);
  return {
    n: found.acknowledged,
    findings: [
      { what: "sends acknowledged", value: found.acknowledged, holds: found.acknowledged > 0 },
      ...result.findings,
      ...sendFindings(context, found, inDoubt),
      ...processFindings(cell),
      {
        what: `seconds until every send was finished (at most ${atMost})`,
        value: finishSeconds.toFixed(1),
        holds: finishSeconds <= atMost,
      },
    ],
    notes: [...result.notes, ...describeViolations(found), ...describeInDoubt(inDoubt, context.folder)],
  };
}

function sendFindings({ sendEvents, policy }: RunContext, found: SendFindings, inDoubt: InDoubtSend[]): Finding[] {
  const mayDouble = sendEvents !== "on" && policy === "resend";
  return [
    ...Object.entries(found.violations).map(([what, list]) => ({ what, value: list.length, holds: list.length === 0 })),
    {
      what: mayDouble ? "doubled (each was in doubt)" : "doubled",
      value: found.doubled.length,
      holds: found.doubled.length === 0 || (mayDouble && found.doubled.length <= inDoubt.length),
    },
    {
      what: "outcome unknown",
      value: found.outcomeUnknown.length,
      holds: found.outcomeUnknown.length === 0 || policy === "fail",
    },
    { what: "sends in doubt, or with an event before the answer was stored", value: inDoubt.length },
    ...[...Map.groupBy(inDoubt, ({ resolution }) => resolution)].map(([resolution, list]) => ({
      what: `  ${resolution}`,
      value: list.length,
      holds: resolution !== "unresolved",
    })),
  ];
}

/** An unexpected exit or error is a bug, whatever the outcome of the sends. */
function processFindings({ apis, workers }: ChaosCell): Finding[] {
  const processes = [...apis, ...workers];
  const ended = processes.reduce((sum, each) => sum + each.unexpectedExits, 0);
  const unexpectedErrors = processes.flatMap((each) => each.unexpectedErrors);
  return [
    { what: "unexpected process exits", value: ended, holds: ended === 0 },
    { what: "unhandled errors", value: unexpectedErrors.length, holds: unexpectedErrors.length === 0 },
  ];
}

const shown = 20;

function describeViolations({ violations, doubled }: SendFindings): string[] {
  return Object.entries({ ...violations, doubled }).flatMap(([what, list]) =>
    list.slice(0, shown).map((send) => `${what}: ${send}`),
  );
}

function describeInDoubt(inDoubt: InDoubtSend[], folder: string): string[] {
  const lines = inDoubt
    .slice(0, shown)
    .map(({ id, resolution, attempts }) => `in doubt: ${id} [${attempts.join(", ")}] ${resolution}`);
  return inDoubt.length > shown ? [...lines, `all ${inDoubt.length}: ${join(folder, "in-doubt.ndjson")}`] : lines;
}
