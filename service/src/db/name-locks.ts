import pg from "pg";
import { AppError } from "../errors.ts";
import { rateLimitedClient, tcpKeepalive } from "./connection-rate-limit.ts";
import { isConnectionError } from "./sql-state.ts";

/** Lets one piece of work at a time happen for a name, over all processes. */
export interface NameLocks {
  hold<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const waitAtMostMs = 30_000;
const poolSize = 4;

/**
 * Advisory locks of a session and not of a transaction, because network calls are made while one is held. PostgreSQL lets
 * go of them when the process dies. They need connections of their own that no pooler shares.
 */
export function openNameLocks(options: { directUrl: string; onIdleError: (error: Error) => void }): NameLocks {
  const pool = new pg.Pool({
    connectionString: options.directUrl,
    max: poolSize,
    Client: rateLimitedClient(poolSize * 2),
    options: tcpKeepalive,
    application_name: "postern-locks",
    statement_timeout: waitAtMostMs,
    query_timeout: waitAtMostMs + 2_000,
    connectionTimeoutMillis: waitAtMostMs,
    keepAlive: true,
  });
  pool.on("error", options.onIdleError);
  const lines = new Map<string, Promise<unknown>>();
  return {
    hold: (name, work) => inLine(lines, name, () => hold(pool, name, work)),
    close: () => pool.end(),
  };
}

/** Those who want the same name wait here and not on a connection, of which there are few for all names. */
async function inLine<Result>(lines: Map<string, Promise<unknown>>, name: string, work: () => Promise<Result>) {
  const before = lines.get(name);
  const mine = (async () => {
    await before?.catch(() => undefined);
    return work();
  })();
  lines.set(name, mine);
  try {
    return await mine;
  } finally {
    if (lines.get(name) === mine) lines.delete(name);
  }
}

async function hold<Result>(pool: pg.Pool, name: string, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch(translate);
  let broken: Error | undefined;
  const remember = (error: Error) => {
    broken = error;
  };
  client.on("error", remember);
  try {
    await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]).catch(translate);
    return await work();
  } finally {
    await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]).catch(remember);
    client.off("error", remember);
    // A connection that could not unlock is closed, which unlocks.
    client.release(broken);
  }
}

function translate(error: unknown): never {
  if (!isConnectionError(error)) throw error;
  const message = "Another change of the same name is under way, or the database is away. Try again shortly.";
  throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5, cause: error });
}
