import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosCell } from "../../chaos/cell/chaos-cell.ts";
import { readLedgerBySend } from "../../chaos/check/ledger.ts";
import type { Load } from "../../chaos/load/load.ts";
import { until } from "../../service/proofs/until.ts";
import { startLoad, untilAllTold } from "./cost-of-sends.ts";
import { askDeadCell, type DeadAnswers } from "./dead-answers.ts";
import type { TwoCells } from "./two-cells.ts";

const beforeSeconds = 2;
/** What the client has under way at a time; so many may be cut when the cell dies. */
const lanes = 16;

export interface Death {
  findings: Record<string, number>;
  broken: string[];
}

/** Kills API, worker and PostgreSQL of the first cell under load, looks at both, and brings it back. */
export async function killOneCell(stage: TwoCells, perSecond: number, deadSeconds: number): Promise<Death> {
  const [dying, living] = stage.cells;
  const ofDying = startLoad(stage, dying, { perSecond, sends: Number.POSITIVE_INFINITY });
  const ofLiving = startLoad(stage, living, { perSecond, sends: perSecond * (beforeSeconds + deadSeconds) });
  await sleep(beforeSeconds * 1000);
  await kill(dying);
  const killedAt = performance.now();
  const dead = await askDeadCell(stage.proxyUrl, dying.senders, deadSeconds);
  await ofLiving.done();
  await untilAllTold(living);

  const deadFor = (performance.now() - killedAt) / 1000;
  const startedAt = performance.now();
  await revive(dying);
  const before = ofDying.progress.acknowledged;
  await until("the cell that was killed accepts again", 60, async () => ofDying.progress.acknowledged > before);
  const backAfter = (performance.now() - startedAt) / 1000;
  await ofDying.finish();
  return judge({ ofDying, ofLiving, dead, missing: await missingMails(living, ofLiving), deadFor, backAfter });
}

async function kill({ apis, workers, postgres }: ChaosCell): Promise<void> {
  await Promise.all([postgres.kill(), ...[...apis, ...workers].map((each) => each.stop())]);
}

async function revive({ apis, workers, postgres }: ChaosCell): Promise<void> {
  await postgres.start();
  await Promise.all([...apis, ...workers].map((each) => each.start()));
}

/** Mails that were accepted and are not in the provider's ledger exactly once. */
async function missingMails({ ledgerFile }: ChaosCell, load: Load): Promise<number> {
  const ledger = await readLedgerBySend(ledgerFile);
  return load.acknowledged().filter(({ id }) => ledger.get(id)?.length !== 1).length;
}

interface Seen {
  ofDying: Load;
  ofLiving: Load;
  dead: DeadAnswers;
  missing: number;
  deadFor: number;
  backAfter: number;
}

function judge({ ofDying, ofLiving, dead, missing, deadFor, backAfter }: Seen): Death {
  const { begun, acknowledged, cut, answers } = ofLiving.progress;
  const errors = cut + Object.entries(answers).reduce((sum, [code, count]) => sum + (code === "202" ? 0 : count), 0);
  const strange = Object.keys(ofDying.progress.answers).filter((code) => code !== "202" && code !== "503");
  const rules: [boolean, string][] = [
    [errors === 0 && acknowledged === begun, `the living cell had ${errors} errors in ${begun} requests`],
    [missing === 0, `${missing} mails of the living cell are not in the ledger exactly once`],
    [dead.asked > 0 && dead.wrong.length === 0, `answers for the dead cell: ${dead.wrong.slice(0, 3).join("; ")}`],
    [strange.length === 0, `clients of the dead cell also got ${strange.join(", ")}`],
    [ofDying.progress.cut <= lanes, `${ofDying.progress.cut} connections to the dead cell were cut`],
    [
      ofDying.progress.acknowledged === ofDying.progress.begun,
      "not all sends of the dead cell were accepted in the end",
    ],
  ];
  return {
    findings: {
      "sends of the living cell": acknowledged,
      "errors of the living cell": errors,
      "mails of the living cell not in the ledger": missing,
      "seconds the other cell was dead": round(deadFor),
      "answers 503 for the dead cell": ofDying.progress.answers[503] ?? 0,
      "connections cut when it died": ofDying.progress.cut,
      "slowest answer for the dead cell, ms": Math.ceil(dead.slowestMs),
      "seconds from its restart to its next 202": round(backAfter),
    },
    broken: rules.filter(([holds]) => !holds).map(([, what]) => what),
  };
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
