import pg from "pg";
import { AppError } from "../errors.ts";
import { applicationName } from "./code-range.ts";
import { rateLimitedClient } from "./connection-rate-limit.ts";
import { tcpKeepalive } from "./session-settings.ts";
import { isConnectionError } from "./sql-state.ts";

/** Runs one piece of work per name at a time, across all processes. */
export interface NameLocks {
  hold<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const maxWaitMs = 30_000;
const poolSize = 4;

/**
 * Advisory locks of a session, not of a transaction, because the work makes network calls. PostgreSQL releases them when the
 * process crashes. They need their own connections, without a pooler.
 */
export function openNameLocks(options: { directUrl: string; onIdleError: (error: Error) => void }): NameLocks {
  const pool = new pg.Pool({
    connectionString: options.directUrl,
    max: poolSize,
    Client: rateLimitedClient(poolSize * 2),
    options: tcpKeepalive,
    application_name: applicationName("locks"),
    statement_timeout: maxWaitMs,
    query_timeout: maxWaitMs + 2_000,
    connectionTimeoutMillis: maxWaitMs,
    keepAlive: true,
  });
  pool.on("error", options.onIdleError);
  const lastByName = new Map<string, Promise<unknown>>();
  return {
    hold: (name, work) => afterPrevious(lastByName, name, () => hold(pool, name, work)),
    close: () => pool.end(),
  };
}

/** Work for the same name waits here and not on a connection, because all names share a few connections. */
async function afterPrevious<Result>(
  lastByName: Map<string, Promise<unknown>>,
  name: string,
  work: () => Promise<Result>,
) {
  const previous = lastByName.get(name);
  const own = (async () => {
    await previous?.catch(() => undefined);
    return work();
  })();
  lastByName.set(name, own);
  try {
    return await own;
  } finally {
    if (lastByName.get(name) === own) lastByName.delete(name);
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
    // A connection that failed to unlock is closed, which releases its locks.
    client.release(broken);
  }
}

function translate(error: unknown): never {
  if (!isConnectionError(error)) throw error;
  const message =
    "Another change of the same name is in progress, or the database cannot be reached. Try again shortly.";
  throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5, cause: error });
}
