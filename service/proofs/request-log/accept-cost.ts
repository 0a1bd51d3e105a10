import { createApiServer } from "../../src/api/http/create-api-server.ts";
import { readConfig } from "../../src/config.ts";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { createLog } from "../../src/log.ts";
import { createMetrics } from "../../src/metrics.ts";
import { openAcceptDeps } from "../../src/processes/accept-deps.ts";
import { createApiDeps } from "../../src/processes/api-deps.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { Canaries } from "../leaks/canaries.ts";
import { aMarkedAccount } from "./marked-account.ts";

export interface AcceptCost {
  sends: number;
  /** WAL bytes of the connection that accepts, for one send. */
  walBytes: number;
  /** Statements of accepting, for one send. */
  statements: number;
  /** WAL bytes of the request log, for one send. */
  logBytes: number;
}

const rounds = 6;

/**
 * What `POST /send` costs with the request log and without it, in turns, one request after the other. Accepting and the log have a connection
 * each, so that their WAL is counted apart. The figures are medians of the rounds: a checkpoint in one of them adds whole pages to its WAL.
 * Undefined before PostgreSQL 18, which counts per connection.
 */
export async function measureAcceptCost(owner: Database, url: string, sends: number) {
  const [version] = await owner.query<{ counts: boolean }>({
    name: "counts-wal",
    text: `select to_regprocedure('pg_stat_get_backend_wal(integer)') is not null as counts`,
  });
  if (version?.counts !== true) return undefined;
  const [acceptDb, logDb] = [aConnection(url), aConnection(url)];
  try {
    const { accept, setLog, flush, counted } = await prepare(owner, acceptDb, logDb);
    const costs: Record<"off" | "on", AcceptCost[]> = { off: [], on: [] };
    const perRound = Math.ceil(sends / rounds);
    await accept(perRound);
    for (let round = 0; round < rounds; round++) {
      for (const state of round % 2 === 0 ? (["off", "on"] as const) : (["on", "off"] as const)) {
        setLog(state);
        const before = { wal: await walBytesOf(acceptDb), log: await walBytesOf(logDb), statements: counted() };
        await accept(perRound);
        const statements = counted() - before.statements;
        await flush();
        const walBytes = (await walBytesOf(acceptDb)) - before.wal;
        const logBytes = (await walBytesOf(logDb)) - before.log;
        costs[state].push({ sends: perRound, walBytes, statements, logBytes });
      }
    }
    return { off: medianPerSend(costs.off), on: medianPerSend(costs.on) };
  } finally {
    await acceptDb.close();
    await logDb.close();
  }
}

function medianPerSend(costs: AcceptCost[]): AcceptCost {
  const medianOf = (read: (cost: AcceptCost) => number) =>
    costs.map((cost) => read(cost) / cost.sends).toSorted((one, other) => one - other)[costs.length >> 1] ?? Number.NaN;
  return {
    sends: costs.reduce((sum, { sends }) => sum + sends, 0),
    walBytes: medianOf(({ walBytes }) => walBytes),
    statements: medianOf(({ statements }) => statements),
    logBytes: medianOf(({ logBytes }) => logBytes),
  };
}

function aConnection(url: string): Database {
  return openDatabase({ url, poolSize: 1, applicationName: "request-log", onIdleError: () => undefined });
}

async function prepare(owner: Database, acceptDb: Database, logDb: Database) {
  const config = readConfig(anEnvironment());
  let statements = 0;
  const counting: Database = {
    ...acceptDb,
    query: (statement) => {
      statements += 1;
      return acceptDb.query(statement);
    },
  };
  const acceptDeps = await openAcceptDeps(config, counting);
  const deps = createApiDeps(config, {
    db: logDb,
    log: createLog("silent"),
    metrics: createMetrics(),
    domainDeps: undefined,
    acceptDeps: { ...acceptDeps, hint: { live: () => undefined, test: () => undefined } },
  });
  const { note, isSampled } = deps.requestLog;
  const app = await createApiServer(deps);
  const { key, from } = await aMarkedAccount(owner, { app, deps }, new Canaries());
  let number = 0;
  return {
    counted: () => statements,
    flush: () => deps.requestLog.flush(),
    setLog: (state: "on" | "off") => {
      Object.assign(
        deps.requestLog,
        state === "on" ? { note, isSampled } : { note: () => undefined, isSampled: () => false },
      );
    },
    accept: async (count: number) => {
      for (let accepted = 0; accepted < count; accepted++) {
        const payload = { from, to: [`jane.${number++}@example.io`], subject: "Your order", text: "x".repeat(2_000) };
        const { statusCode } = await app.inject({ method: "POST", url: "/api/v1/send", headers: key, payload });
        if (statusCode !== 202) throw new Error(`a send was answered ${statusCode}`);
      }
    },
  };
}

async function walBytesOf(db: Database): Promise<number> {
  // A backend reports its counters at most once per second unless it is forced to.
  await db.query({ name: "flush-counters", text: "select pg_stat_force_next_flush()" });
  const [row] = await db.query<{ bytes: number }>({
    name: "wal-bytes",
    text: `select wal_bytes::float8 as bytes from pg_stat_get_backend_wal(pg_backend_pid())`,
  });
  return row?.bytes ?? Number.NaN;
}
