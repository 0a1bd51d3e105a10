import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { NoPrimaryError } from "./no-primary-error.ts";

/** Each step of the question; both together stay within the 5 s that a pool waits for a connection. */
const stepMs = 2_000;
/** The last known primary answers first, so that in the normal case no other server is asked. */
const headStartMs = 300;
/** Connections that a pool opens together share one search. */
const searchAgainMs = 1_000;

/** Finds the server among several that accepts writes; `options` has the rest of what a connection needs. */
export function createHostChooser(options: pg.ClientConfig[]): () => Promise<{ host: string; port: number }> {
  let primary = 0;
  let last: { at: number; result: Promise<number> } | undefined;

  async function search(): Promise<number> {
    const found = new AbortController();
    const isFirstRefused = Promise.withResolvers<void>();
    const others = options.map((_, index) => index).filter((index) => index !== primary);
    const first = requirePrimary(options[primary] ?? {}).then(() => primary);
    first.catch(() => isFirstRefused.resolve());
    const pause = Promise.race([sleep(headStartMs), isFirstRefused.promise]);
    const rest = others.map(async (index) => {
      await pause;
      found.signal.throwIfAborted();
      await requirePrimary(options[index] ?? {});
      return index;
    });
    try {
      primary = await Promise.any([first, ...rest]);
      return primary;
    } catch (error) {
      throw noPrimary(error);
    } finally {
      found.abort();
    }
  }

  return async () => {
    if (last === undefined || performance.now() - last.at > searchAgainMs) {
      last = { at: performance.now(), result: search() };
    }
    const { host, port } = new pg.Client(options[await last.result]);
    return { host, port };
  };
}

async function requirePrimary(options: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({
    ...options,
    application_name: "postern-host-choice",
    connectionTimeoutMillis: stepMs,
    query_timeout: stepMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ is_writable: boolean }>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as is_writable`,
    );
    if (rows[0]?.is_writable !== true) throw new Error("accepts no writes");
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(Reflect.get(error, "code")) : String(error);
    throw new Error(`${client.host}:${client.port}: ${reason}`, { cause: error });
  } finally {
    // Not awaited: a broken network would delay the answer.
    void client.end().catch(() => undefined);
  }
}

function noPrimary(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error;
  const reasons = error.errors.map((each) => (each instanceof Error ? each.message : String(each)));
  return new NoPrimaryError(error.errors, `no server of the URL accepts writes (${reasons.join("; ")})`);
}
