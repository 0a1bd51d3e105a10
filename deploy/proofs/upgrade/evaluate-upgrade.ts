import type { ChaosCell } from "../../../chaos/cell/chaos-cell.ts";
import { checkSends } from "../../../chaos/check/check-sends.ts";
import { readLedgerBySend } from "../../../chaos/check/ledger.ts";
import { readSends } from "../../../chaos/check/stored-sends.ts";
import type { Acknowledged, LoadProgress } from "../../../chaos/load/load-plan.ts";
import { longestPauseMs } from "./delivery-pauses.ts";

interface Observed extends Pick<LoadProgress, "unanswered" | "answers"> {
  acknowledged: Acknowledged[];
  /** `name code` of every replaced process. */
  exits: string[];
  startedAt: number;
  /** The control runs from here to `controlEndedAt`. */
  endedAt: number;
  controlEndedAt: number;
}

export interface UpgradeResult {
  sends: number;
  /** Answers other than 202 and requests without one. The client repeats each with the same key. */
  repeated: number;
  /** Sends that had no 202 after all repetitions within 30 seconds, or that an API refused. */
  failed: number;
  slowestMs: number;
  lost: number;
  doubled: number;
  longestPauseMs: number;
  controlPauseMs: number;
  replaced: number;
  /** Everything else that must not be, described. */
  problems: string[];
}

const patienceMs = 30_000;

/** Compares what the client, the database and the provider know. */
export async function evaluateUpgrade(cell: ChaosCell, observed: Observed): Promise<UpgradeResult> {
  const { acknowledged, answers, unanswered, exits, startedAt, endedAt, controlEndedAt } = observed;
  const ledger = await readLedgerBySend(cell.ledgerFile);
  const sends = await readSends(cell.db);
  const { violations, doubled, outcomeUnknown } = checkSends({ acknowledged, sends, ledger, sendEvents: "on" });
  const { lost = [], "acknowledged ids missing": missing = [], ...others } = violations;
  const before = acknowledged.filter(({ at }) => at < endedAt);
  const count = (is: (status: number) => boolean) =>
    Object.entries(answers).reduce((sum, [status, number]) => sum + (is(Number(status)) ? number : 0), 0);
  const processes = [...cell.apis, ...cell.workers];
  return {
    sends: before.length,
    repeated: unanswered + count((status) => status >= 500),
    failed:
      before.filter(({ tookMs }) => tookMs > patienceMs).length + count((status) => status >= 400 && status < 500),
    slowestMs: Math.max(...before.map(({ tookMs }) => tookMs)),
    lost: lost.length + missing.length,
    doubled: doubled.length,
    longestPauseMs: longestPauseMs(ledger, startedAt, endedAt),
    controlPauseMs: longestPauseMs(ledger, endedAt, controlEndedAt),
    replaced: exits.length,
    problems: [
      ...Object.entries(others).flatMap(([what, list]) => list.map((send) => `${what}: ${send}`)),
      ...outcomeUnknown.map((send) => `outcome unknown: ${send}`),
      ...exits.filter((exit) => !exit.endsWith(" 0")).map((exit) => `ended with ${exit}`),
      ...processes.flatMap(({ unexpectedErrors }) => unexpectedErrors),
      ...processes.filter(({ unexpectedExits }) => unexpectedExits > 0).map(({ program }) => `${program.name} exited`),
    ],
  };
}
