import pg from "pg";

const limitMs = 3_000;

/** Whether the database accepts a new connection and answers on it, whatever the state of the pool of this process is. */
export async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "postern-liveness",
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    // Not awaited: a broken network would delay the answer.
    void client.end().catch(() => undefined);
  }
}
