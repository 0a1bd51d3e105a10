import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosCell } from "../../chaos/cell/chaos-cell.ts";
import { readLedgerBySend } from "../../chaos/check/ledger.ts";
import type { Load } from "../../chaos/load/load.ts";
import { until } from "../../service/proofs/until.ts";
import { startLoad, untilAllReported } from "./cost-of-sends.ts";
import { type KilledCellAnswers, probeKilledCell } from "./probe-killed-cell.ts";
import type { TwoCells } from "./two-cells.ts";

const beforeSeconds = 2;
/** The concurrency of chaos/load/drive.ts: at most this many requests lose their connection when the cell is killed. */
const concurrency = 16;

export interface KillResult {
  findings: Record<string, number>;
  violations: string[];
}

/** Kills API, worker and PostgreSQL of the first cell under load, checks both cells, and restarts the killed one. */
export async function killOneCell(setup: TwoCells, perSecond: number, downSeconds: number): Promise<KillResult> {
  const [killed, surviving] = setup.cells;
  const killedLoad = startLoad(setup, killed, { perSecond, sends: Number.POSITIVE_INFINITY });
  const survivingLoad = startLoad(setup, surviving, { perSecond, sends: perSecond * (beforeSeconds + downSeconds) });
  await sleep(beforeSeconds * 1000);
  await kill(killed);
  const killedAt = performance.now();
  const answers = await probeKilledCell(setup.proxyUrl, killed.senders, downSeconds);
  await survivingLoad.done();
  await untilAllReported(surviving);

  const downForSeconds = (performance.now() - killedAt) / 1000;
  const restartedAt = performance.now();
  await restart(killed);
  const before = killedLoad.progress.acknowledged;
  await until("the killed cell accepts again", 60, async () => killedLoad.progress.acknowledged > before);
  const recoverySeconds = (performance.now() - restartedAt) / 1000;
  await killedLoad.finish();
  const missing = await countMissingMails(surviving, survivingLoad);
  return evaluate({ killedLoad, survivingLoad, answers, missing, downForSeconds, recoverySeconds });
}

async function kill({ apis, workers, postgres }: ChaosCell): Promise<void> {
  await Promise.all([postgres.kill(), ...[...apis, ...workers].map((each) => each.stop())]);
}

async function restart({ apis, workers, postgres }: ChaosCell): Promise<void> {
  await postgres.start();
  await Promise.all([...apis, ...workers].map((each) => each.start()));
}

/** Counts accepted sends that are not in the provider's ledger exactly once. */
async function countMissingMails({ ledgerFile }: ChaosCell, load: Load): Promise<number> {
  const ledger = await readLedgerBySend(ledgerFile);
  return load.acknowledged().filter(({ id }) => ledger.get(id)?.length !== 1).length;
}

interface Observed {
  killedLoad: Load;
  survivingLoad: Load;
  answers: KilledCellAnswers;
  missing: number;
  downForSeconds: number;
  recoverySeconds: number;
}

function evaluate({
  killedLoad,
  survivingLoad,
  answers,
  missing,
  downForSeconds,
  recoverySeconds,
}: Observed): KillResult {
  const { begun, acknowledged, unanswered, answers: statuses } = survivingLoad.progress;
  const errors =
    unanswered + Object.entries(statuses).reduce((sum, [code, count]) => sum + (code === "202" ? 0 : count), 0);
  const unexpected = Object.keys(killedLoad.progress.answers).filter((code) => code !== "202" && code !== "503");
  const rules: [boolean, string][] = [
    [errors === 0 && acknowledged === begun, `the surviving cell had ${errors} errors in ${begun} requests`],
    [missing === 0, `${missing} mails of the surviving cell are not in the ledger exactly once`],
    [
      answers.requests > 0 && answers.wrong.length === 0,
      `wrong answers for the killed cell: ${answers.wrong.slice(0, 3).join("; ")}`,
    ],
    [unexpected.length === 0, `clients of the killed cell also got ${unexpected.join(", ")}`],
    [
      killedLoad.progress.unanswered <= concurrency,
      `${killedLoad.progress.unanswered} connections to the killed cell were cut`,
    ],
    [
      killedLoad.progress.acknowledged === killedLoad.progress.begun,
      "the killed cell did not accept all its sends after its restart",
    ],
  ];
  return {
    findings: {
      "sends of the surviving cell": acknowledged,
      "errors of the surviving cell": errors,
      "mails of the surviving cell not in the ledger": missing,
      "seconds the killed cell was down": round(downForSeconds),
      "answers 503 for the killed cell": killedLoad.progress.answers[503] ?? 0,
      "connections cut by the kill": killedLoad.progress.unanswered,
      "slowest answer for the killed cell, ms": Math.ceil(answers.slowestMs),
      "seconds from its restart to its next 202": round(recoverySeconds),
    },
    violations: rules.filter(([holds]) => !holds).map(([, what]) => what),
  };
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
