import type pg from "pg";
import { applicationName } from "../db/code-range.ts";
import { postgresClient } from "../db/postgres-client.ts";
import { isConnectionError } from "../db/sql-state.ts";

/** Connecting and the statement together fit into the 5 s of a health check. */
const limitMs = 2_000;

/**
 * Whether a new connection can use the queue, whatever the state of the pool of this process is. The statement changes nothing, but
 * waits for a lock on the queue, and a read-only server refuses it. A refusal for another reason counts as use: the server works.
 */
export async function canUseQueue(url: string): Promise<boolean> {
  const client = new (postgresClient())({
    connectionString: url,
    application_name: applicationName("liveness"),
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch {
    end(client);
    return false;
  }
  try {
    // Not a setting of the connection, because a pooler would refuse it.
    await client.query(`begin; set local statement_timeout = ${limitMs}`);
    await client.query("update send_queue set state = state where false");
    await client.query("rollback");
    return true;
  } catch (error) {
    return !isConnectionError(error);
  } finally {
    end(client);
  }
}

/** Not awaited: a broken network would delay the answer. */
function end(client: pg.Client): void {
  void client.end().catch(() => undefined);
}
