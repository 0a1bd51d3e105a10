import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { ChaosCell } from "../../chaos/cell/chaos-cell.ts";
import { Load } from "../../chaos/load/load.ts";
import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { until } from "../../service/proofs/until.ts";
import type { Database } from "../../service/src/db/database.ts";
import type { Figures } from "../frame/compare.ts";
import type { TwoCells } from "./two-cells.ts";

/** The body size of the bench `accept`. */
const bodyBytes = 2_000;
let seeds = 0;

export interface Pace {
  perSecond: number;
  sends: number;
}

/** A client for the accounts of one cell, through the proxy. With a finite `pace.sends` it stops by itself. */
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

/** CPU time of the API, worker and PostgreSQL of these cells, from the first request until the last event is applied. */
export async function costOfSends(setup: TwoCells, cells: ChaosCell[], pace: Pace): Promise<Figures> {
  const before = await meterOf(setup, cells);
  const started = performance.now();
  const loads = cells.map((cell) => startLoad(setup, cell, pace));
  await Promise.all(loads.map((load) => load.done()));
  for (const load of loads) requireAllAccepted(load, pace.sends);
  await Promise.all(cells.map(untilAllReported));
  const after = await meterOf(setup, cells);
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
  const { acknowledged, unanswered, answers } = progress;
  if (acknowledged === sends && unanswered === 0 && answers[202] === sends) return;
  throw new Error(
    `${acknowledged} of ${sends} sends were accepted; ${unanswered} requests without an answer, answers ${JSON.stringify(answers)}`,
  );
}

/** Waits until every send is delivered, bounced or complained. After that Postern does no more work for it. */
export async function untilAllReported({ db }: ChaosCell): Promise<void> {
  const areAllReported = async () => {
    const [row] = await db.query<{ left: number }>({
      name: "not-reported-yet",
      text: `select count(*) as left from sends where status in ('queued', 'sent')`,
    });
    return row?.left === 0;
  };
  await until("every send has its outcome", 120, areAllReported, 250);
}
