import { rmSync } from "node:fs";
import { checkSends } from "../check/check-sends.ts";
import { listDoubts } from "../check/doubts.ts";
import { readLedgerBySend } from "../check/ledger.ts";
import { readSends } from "../check/sends-of-record.ts";
import type { Finding, Outcome } from "../scenarios/scenario.ts";
import { tellProgress } from "../tell-progress.ts";
import { comeToRest, countWrongIdentities, restWithinSeconds } from "./aftermath.ts";
import { killAt } from "./kill-at.ts";
import { type MatrixStage, openMatrixStage } from "./matrix-stage.ts";
import type { CrashPoint } from "./points.ts";

/** Kills a process at every point, round after round, then lets healthy ones finish everything. */
export async function runMatrix(rounds: number, at: CrashPoint[]): Promise<{ outcome: Outcome; seconds: number }> {
  const folder = ".chaos/matrix";
  rmSync(folder, { recursive: true, force: true });
  console.log(`matrix: ${at.length} points x ${rounds}, logs in ${folder}`);
  const started = performance.now();
  const progress = tellProgress("matrix", started);
  const stage = await openMatrixStage(folder);
  try {
    const reached = new Map<string, number>(at.map(({ name }) => [name, 0]));
    for (let round = 1; round <= rounds; round++) {
      for (const point of at) {
        const tries = await killUntilReached(stage, point, round);
        if (tries !== undefined) reached.set(point.name, (reached.get(point.name) ?? 0) + 1);
        const result = tries === undefined ? ": NOT REACHED" : tries > 1 ? `, at try ${tries}` : "";
        progress(`round ${round} of ${rounds}, ${point.name}${result}`);
      }
    }
    const rest = await comeToRest(stage, rounds, progress);
    const findings = await judge(stage, { reached, rounds, at, rest });
    const seconds = (performance.now() - started) / 1000;
    return { outcome: { n: at.length * rounds, findings, notes: [] }, seconds };
  } finally {
    await stage.close();
  }
}

const mostTries = 4;

/**
 * A process that did not come by in time proves nothing: what it should do may wait for a chore that died with another
 * process, or for its turn with the provider. Returns how many it took, undefined when all were in vain.
 */
async function killUntilReached(stage: MatrixStage, point: CrashPoint, round: number): Promise<number | undefined> {
  for (let tries = 1; tries <= mostTries; tries++) {
    if (await killAt(stage, point, `${point.name}-${round}${tries > 1 ? `-${tries}` : ""}`)) return tries;
  }
  return undefined;
}

interface Run {
  reached: Map<string, number>;
  rounds: number;
  at: CrashPoint[];
  rest: Awaited<ReturnType<typeof comeToRest>>;
}

async function judge(stage: MatrixStage, { reached, rounds, at, rest }: Run): Promise<Finding[]> {
  const sends = (await readSends(stage.cell.db)).filter(({ mode }) => mode === "live");
  const ledger = await readLedgerBySend(stage.cell.ledgerFile);
  const found = checkSends({ acknowledged: stage.sends, sends, ledger, sendEvents: "on" });
  const statuses = new Map(sends.map(({ id, status }) => [id, status]));
  const rows = at.map(({ name, where }) => {
    const own = stage.sends.filter(({ key }) => key.startsWith(`${name}-`));
    const once = own.filter(({ id }) => ledger.get(id)?.length === 1).length;
    const stuck = own.filter(({ id }) => statuses.get(id) === "queued").length;
    const kills = reached.get(name) ?? 0;
    // Of a request that was written the mail is out, although nobody got the answer: then it is the first attempt's.
    const first = own.filter(({ id }) => ledger.get(id)?.[0]?.attempt === 1).length;
    const ledgerTold = `${once} of ${own.length} sends once in the ledger (${first} by the first attempt), ${stuck} stuck`;
    const told = own.length === 0 ? "" : `; ${ledgerTold}`;
    const holds = kills === rounds && once === own.length && stuck === 0;
    return { what: `${name}: ${where}`, value: `${kills} of ${rounds} died there${told}`, holds };
  });
  const wrongs = Object.entries({ ...found.wrongs, doubled: found.doubled });
  const identities = await countWrongIdentities(stage);
  return [
    ...rows,
    ...wrongs.map(([what, list]) => ({ what, value: list.length, holds: list.length === 0 })),
    ...Object.entries(rest.remains).map(([what, count]) => ({ what, value: count, holds: count === 0 })),
    { what: "identities too many or too few at the provider", value: identities, holds: identities === 0 },
    { what: "sends in doubt, or told of before the answer was written", value: listDoubts(sends, ledger).length },
    {
      what: `seconds until all was done (at most ${restWithinSeconds(rounds)})`,
      value: rest.seconds.toFixed(1),
      holds: rest.seconds <= restWithinSeconds(rounds),
    },
  ];
}
