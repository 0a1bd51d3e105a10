import { rmSync } from "node:fs";
import { checkSends } from "../check/check-sends.ts";
import { listInDoubtSends } from "../check/in-doubt-sends.ts";
import { readLedgerBySend } from "../check/ledger.ts";
import { readSends } from "../check/stored-sends.ts";
import { createProgressLog } from "../progress-log.ts";
import type { Finding, Outcome } from "../scenarios/scenario.ts";
import { killAt } from "./kill-at.ts";
import { type MatrixContext, openMatrixContext } from "./matrix-context.ts";
import type { CrashPoint } from "./points.ts";
import { countWrongIdentities, recover, recoveryLimitSeconds } from "./recovery.ts";

/** Kills a process at every crash point, round after round, then lets healthy workers finish. */
export async function runMatrix(rounds: number, at: CrashPoint[]): Promise<{ outcome: Outcome; seconds: number }> {
  const folder = ".chaos/matrix";
  rmSync(folder, { recursive: true, force: true });
  console.log(`matrix: ${at.length} crash points x ${rounds}, logs in ${folder}`);
  const started = performance.now();
  const progress = createProgressLog("matrix", started);
  const context = await openMatrixContext(folder);
  try {
    const reached = new Map<string, number>(at.map(({ name }) => [name, 0]));
    for (let round = 1; round <= rounds; round++) {
      for (const point of at) {
        const tries = await killUntilReached(context, point, round);
        if (tries !== undefined) reached.set(point.name, (reached.get(point.name) ?? 0) + 1);
        const result = tries === undefined ? ": NOT REACHED" : tries > 1 ? `, try ${tries}` : "";
        progress(`round ${round} of ${rounds}, ${point.name}${result}`);
      }
    }
    const recovery = await recover(context, rounds, progress);
    const findings = await evaluate(context, { reached, rounds, at, recovery });
    const seconds = (performance.now() - started) / 1000;
    return { outcome: { n: at.length * rounds, findings, notes: [] }, seconds };
  } finally {
    await context.close();
  }
}

const maxTries = 4;

/**
 * Repeats a kill whose process did not reach the crash point in time: its work may wait for a chore that crashed with another
 * process, or for the provider's rate limit. Returns the number of tries, or undefined when none reached the point.
 */
async function killUntilReached(context: MatrixContext, point: CrashPoint, round: number): Promise<number | undefined> {
  for (let tries = 1; tries <= maxTries; tries++) {
    if (await killAt(context, point, `${point.name}-${round}${tries > 1 ? `-${tries}` : ""}`)) return tries;
  }
  return undefined;
}

interface Run {
  reached: Map<string, number>;
  rounds: number;
  at: CrashPoint[];
  recovery: Awaited<ReturnType<typeof recover>>;
}

async function evaluate(context: MatrixContext, { reached, rounds, at, recovery }: Run): Promise<Finding[]> {
  const sends = (await readSends(context.cell.db)).filter(({ mode }) => mode === "live");
  const ledger = await readLedgerBySend(context.cell.ledgerFile);
  const found = checkSends({ acknowledged: context.sends, sends, ledger, sendEvents: "on" });
  const statuses = new Map(sends.map(({ id, status }) => [id, status]));
  const rows = at.map(({ name, where }) => {
    const own = context.sends.filter(({ key }) => key.startsWith(`${name}-`));
    const once = own.filter(({ id }) => ledger.get(id)?.length === 1).length;
    const stuck = own.filter(({ id }) => statuses.get(id) === "queued").length;
    const kills = reached.get(name) ?? 0;
    // A mail whose request was written before the crash is in the ledger with attempt 1, although no worker got the answer.
    const first = own.filter(({ id }) => ledger.get(id)?.[0]?.attempt === 1).length;
    const ledgerText = `${once} of ${own.length} sends once in the ledger (${first} by the first attempt), ${stuck} stuck`;
    const sendText = own.length === 0 ? "" : `; ${ledgerText}`;
    const holds = kills === rounds && once === own.length && stuck === 0;
    const value = `${kills} of ${rounds} killed there${sendText}`;
    return { what: `${name}: ${where}`, value, holds, series: `crash points, ${rounds} kills each` };
  });
  const violations = Object.entries({ ...found.violations, doubled: found.doubled });
  const identities = await countWrongIdentities(context);
  return [
    ...rows,
    ...violations.map(([what, list]) => ({ what, value: list.length, holds: list.length === 0 })),
    ...Object.entries(recovery.remaining).map(([what, count]) => ({ what, value: count, holds: count === 0 })),
    { what: "missing or surplus identities at the provider", value: identities, holds: identities === 0 },
    {
      what: "sends in doubt, or with an event before the answer was stored",
      value: listInDoubtSends(sends, ledger).length,
    },
    {
      what: `seconds until everything was finished (at most ${recoveryLimitSeconds(rounds)})`,
      value: recovery.seconds.toFixed(1),
      holds: recovery.seconds <= recoveryLimitSeconds(rounds),
    },
  ];
}
