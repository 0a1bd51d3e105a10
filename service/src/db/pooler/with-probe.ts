import type pg from "pg";
import { AppError } from "../../errors.ts";
import { postgresClient } from "../postgres-client.ts";
import { isConnectionError } from "../sql-state.ts";

const limitMs = 5_000;

/**
 * A connection without session settings, which a pooler accepts and PostgreSQL completes with those of the role. Each statement
 * has a deadline, because a pooler without a free server connection does not answer.
 */
export async function withProbe<Result>(
  url: string,
  setting: "DATABASE_URL" | "DATABASE_DIRECT_URL",
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new (postgresClient())({
    connectionString: url,
    application_name: "postern-probe",
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
  });
  // Without a listener the process would exit when the connection is lost between two statements.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (!(error instanceof Error) || !isConnectionError(error)) throw error;
    const message = `Cannot connect to PostgreSQL (${error.message}). Check ${setting} and the server.`;
    throw new AppError("UNAVAILABLE", message, setting === "DATABASE_URL" ? { cause: error } : {});
  } finally {
    // Not awaited: a broken network would delay the answer.
    void client.end().catch(() => undefined);
  }
}

/** A pooler names a process of its own when a client logs in, not the server process that runs the statements. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid !== processIdOf(client);
}

/** A field of `pg` that its types omit; a test fails when `pg` renames it. */
function processIdOf(client: pg.Client): unknown {
  return Reflect.get(client, "processID");
}
