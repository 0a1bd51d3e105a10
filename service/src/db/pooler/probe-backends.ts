import { randomUUID } from "node:crypto";
import type pg from "pg";
import { ConfigurationError } from "../../errors.ts";
import { sqlState } from "../sql-state.ts";
import { differencesIn, sessionSettingsSql } from "./role-settings.ts";
import { withProbe } from "./with-probe.ts";

/** A process that waits for one transaction while it runs another needs more than one; the third shows that there is a choice. */
const backends = 3;

interface Backend {
  pid: number;
  settings: Record<string, string>;
}

/**
 * Opens several transactions at once, so that each is on another server connection. Executes in each a statement that its client
 * has prepared before, usually on another server connection.
 */
export async function probeBackends(url: string): Promise<void> {
  const found = await withClients(url, backends, async (clients) => {
    const probes = clients.map(createProbe);
    const prepared: Backend[] = [];
    for (const probe of probes) prepared.push(await probe());
    const executed = await holdTransactions(clients, probes);
    return { prepared, executed };
  });
  requireSettings([...found.prepared, ...found.executed]);
}

function withClients<Result>(
  url: string,
  count: number,
  work: (clients: pg.Client[]) => Promise<Result>,
): Promise<Result> {
  if (count === 0) return work([]);
  return withProbe(url, "DATABASE_URL", (client) => withClients(url, count - 1, (others) => work([client, ...others])));
}

/** Another name for each, because a pooler without prepared statements would find the one of another client by the same name. */
function createProbe(client: pg.Client): () => Promise<Backend> {
  const statement = {
    name: `probe-${randomUUID()}`,
    text: `select pg_backend_pid() as pid, ${sessionSettingsSql} as settings`,
  };
  return async () => {
    const { rows } = await client.query<Backend>(statement).catch(explainPrepared);
    if (rows[0] === undefined) throw new Error("the probe returned no row");
    return rows[0];
  };
}

async function holdTransactions(clients: pg.Client[], probes: (() => Promise<Backend>)[]): Promise<Backend[]> {
  for (const [held, client] of clients.entries()) {
    await client.query("begin").catch((error: unknown) => explainBegin(error, held));
  }
  const executed: Backend[] = [];
  for (const probe of probes) executed.push(await probe());
  for (const client of clients) await client.query("rollback");
  return executed;
}

function explainPrepared(error: unknown): never {
  // Unknown or already known by its name: the server connection has not the statements of this client.
  if (!["26000", "42P05"].includes(sqlState(error) ?? "")) throw error;
  throw new ConfigurationError(
    "The pooler of DATABASE_URL loses prepared statements: a statement that was prepared on one server connection is unknown on another. " +
      "Use PgBouncer 1.21 or newer with max_prepared_statements = 200 in pgbouncer.ini (from 1.21 to 1.23 the default is 0, which is off).",
    { cause: error },
  );
}

function explainBegin(error: unknown, held: number): never {
  if (error instanceof Error && /not allowed in statement pooling mode/.test(error.message)) {
    const message = "The pooler of DATABASE_URL allows no transactions. Set pool_mode = transaction in pgbouncer.ini.";
    throw new ConfigurationError(message, { cause: error });
  }
  const isWaiting = error instanceof Error && /query read timeout|query_wait_timeout/i.test(error.message);
  if (!isWaiting) throw error;
  throw new ConfigurationError(
    `The pooler of DATABASE_URL has no server connection free for a ${held === 0 ? "first" : `${held + 1}.`} transaction within 5 s. ` +
      "Postern needs several at once: set default_pool_size = 20 or more in pgbouncer.ini.",
    { cause: error },
  );
}

function requireSettings(sessions: Backend[]): void {
  const differences = new Set(sessions.flatMap(({ settings }) => differencesIn(settings)));
  if (differences.size === 0) return;
  throw new ConfigurationError(
    `Sessions of the pooler of DATABASE_URL lack settings that their role has: ${[...differences].join(", ")}. They were opened before ` +
      "`postern migrate` stored the settings, or a setting of the pooler (connect_query, another user) overrides them. Run RECONNECT in " +
      "the console of PgBouncer or restart it, then start again.",
  );
}
