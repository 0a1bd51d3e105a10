import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { ChaosCell } from "../../chaos/cell/chaos-cell.ts";
import { Load } from "../../chaos/load/load.ts";
import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { until } from "../../service/proofs/until.ts";
import type { Database } from "../../service/src/db/database.ts";
import type { Figures } from "../frame/compare.ts";
import type { TwoCells } from "./two-cells.ts";

/** Mails as `accept` has them. */
const bodyBytes = 2_000;
let seeds = 0;

export interface Pace {
  perSecond: number;
  sends: number;
}

/** A client for the accounts of one cell, through the proxy. It stops by itself where the pace says how many there are. */
export function startLoad({ folder, proxyUrl }: TwoCells, { senders }: ChaosCell, pace: Pace): Load {
  seeds += 1;
  return new Load({
    urls: [proxyUrl],
    senders,
    ...pace,
    seed: seeds,
    acknowledgedFile: join(folder, `acknowledged-${seeds}.ndjson`),
    text: randomBytes(bodyBytes).toString("base64url").slice(0, bodyBytes),
  });
}

/** Processor time of everything these cells are made of, from the first request until the last event is applied. */
export async function costOfSends(stage: TwoCells, cells: ChaosCell[], pace: Pace): Promise<Figures> {
  const before = await meterOf(stage, cells);
  const started = performance.now();
  const loads = cells.map((cell) => startLoad(stage, cell, pace));
  await Promise.all(loads.map((load) => load.done()));
  for (const load of loads) requireAllAccepted(load, pace.sends);
  await Promise.all(cells.map(untilAllTold));
  const after = await meterOf(stage, cells);
  const seconds = (performance.now() - started) / 1000;
  const sends = cells.length * pace.sends;
  const used = (part: keyof Meter) => after[part] - before[part];
  const per1000 = (part: keyof Meter) => (used(part) / sends) * 1000;
  return {
    rate: sends / (used("api") + used("worker") + used("postgres")),
    cpu: { api: per1000("api"), worker: per1000("worker"), postgres: per1000("postgres") },
    notes: { proxyCpu: per1000("proxy"), walBytes: used("wal") / sends, commits: used("commits") / sends, seconds },
  };
}

interface Meter {
  api: number;
  worker: number;
  postgres: number;
  proxy: number;
  wal: number;
  commits: number;
}

async function meterOf({ proxy }: TwoCells, cells: ChaosCell[]): Promise<Meter> {
  const sum: Meter = { api: 0, worker: 0, postgres: 0, proxy: cpuSecondsOf(proxy.pid), wal: 0, commits: 0 };
  for (const { db, apis, workers } of cells) {
    for (const { pid } of apis) sum.api += cpuSecondsOf(pid);
    for (const { pid } of workers) sum.worker += cpuSecondsOf(pid);
    sum.postgres += await postgresCpuSeconds(db);
    const { wal, commits } = await databaseMeter(db);
    sum.wal += wal;
    sum.commits += commits;
  }
  return sum;
}

async function databaseMeter(db: Database): Promise<{ wal: number; commits: number }> {
  const [row] = await db.query<{ wal: number; commits: number }>({
    name: "wal-and-commits",
    text: `
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, xact_commit::float8 as commits
      from pg_stat_database
      where datname = current_database()`,
  });
  return row ?? { wal: Number.NaN, commits: Number.NaN };
}

function requireAllAccepted({ progress }: Load, sends: number): void {
  const { acknowledged, cut, answers } = progress;
  if (acknowledged === sends && cut === 0 && answers[202] === sends) return;
  throw new Error(`of ${sends} sends ${acknowledged} were accepted; ${cut} cut, answers ${JSON.stringify(answers)}`);
}

/** Every mail of the load ends as delivered, bounced or complained; then nothing more is done for it. */
export async function untilAllTold({ db }: ChaosCell): Promise<void> {
  const isTold = async () => {
    const [row] = await db.query<{ left: number }>({
      name: "not-told-yet",
      text: `select count(*) as left from sends where status in ('queued', 'sent')`,
    });
    return row?.left === 0;
  };
  await until("what became of every mail is told", 120, isTold, 250);
}
