import { setTimeout as sleep } from "node:timers/promises";
import { asAdmin } from "./template-database.ts";

const prefix = "postern_ended_";
const pauseMs = 500;

/** Marks the database of a test file, so that the setup of the tests drops it while other files run: a drop waits a second for the disk. */
export async function endDatabase(serverUrl: string, name: string): Promise<void> {
  await asAdmin(serverUrl, async (client) => {
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    // Waits up to five seconds until the connections are gone.
    await client.query(`alter database ${name} rename to ${prefix}${name.slice(-12)}`);
  });
}

/** Drops marked databases one after the other until it is stopped, and then those that are left. */
export function startDroppingDatabases(serverUrl: string): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      await dropEnded(serverUrl);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await dropEnded(serverUrl);
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function dropEnded(serverUrl: string): Promise<void> {
  await asAdmin(serverUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datname like $1",
      [`${prefix.replaceAll("_", "\\_")}%`],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
}
