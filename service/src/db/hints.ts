import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../log.ts";
import { applicationName } from "./code-range.ts";
import type { Queryable } from "./database.ts";
import { postgresClient } from "./postgres-client.ts";
import { tcpKeepalive } from "./session-settings.ts";

/**
 * Returns a function that notifies the listeners of a channel (`pg_notify`). At most one notification is in flight; calls
 * during that time share one more. It runs outside transactions, where it would halve the rate of inserts.
 */
export function createHint(db: Queryable, channel: string): () => void {
  let isInFlight = false;
  let isRequested = false;
  async function notify(): Promise<void> {
    while (isRequested) {
      isRequested = false;
      // A lost hint only delays the listeners until their next poll.
      await db.query({ name: "hint", text: "select pg_notify($1, '')", values: [channel] }).catch(() => undefined);
    }
    isInFlight = false;
  }
  return () => {
    isRequested = true;
    if (isInFlight) return;
    isInFlight = true;
    void notify();
  };
}

interface ListenOptions {
  /** Not through a pooler, which would give the connection to other clients. */
  directUrl: string;
  channel: string;
  onHint: () => void;
  log: Log;
}

/** The pause doubles while connections are short-lived: over a broken network every try can leave a session on the server. */
const reconnectMs = { min: 1_000, max: 16_000 };
const stableAfterMs = 30_000;

interface Hints {
  /** Whether hints arrive now, as far as this side of the connection knows. */
  isListening(): boolean;
  close(): Promise<void>;
}

/** Listens on its own connection, and reconnects when that is lost. */
export function listenForHints({ directUrl, channel, onHint, log }: ListenOptions): Hints {
  const closing = new AbortController();
  let isListening = false;
  const onListening = () => {
    isListening = true;
    // Hints sent before this connection listened were missed.
    onHint();
  };
  const listening = (async () => {
    for (let pauseMs = reconnectMs.min; !closing.signal.aborted; ) {
      const begun = performance.now();
      await listenUntilLost({ directUrl, channel, onHint, onListening }, closing.signal).catch((err: unknown) => {
        log.warn({ channel, err }, "hints.lost");
      });
      isListening = false;
      if (performance.now() - begun > stableAfterMs) pauseMs = reconnectMs.min;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, reconnectMs.max);
    }
  })();
  return {
    isListening: () => isListening,
    close: () => {
      closing.abort();
      return listening;
    },
  };
}

/** Resolves when `closing` is aborted; rejects when the connection is lost. */
async function listenUntilLost(
  { directUrl, channel, onHint, onListening }: Omit<ListenOptions, "log"> & { onListening: () => void },
  closing: AbortSignal,
): Promise<void> {
  const client = new (postgresClient())({
    connectionString: directUrl,
    application_name: applicationName("hints"),
    options: tcpKeepalive,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  const { promise: ended, resolve: end, reject: lose } = Promise.withResolvers<void>();
  const stop = () => end();
  client.on("error", lose);
  client.on("end", () => lose(new Error("the connection ended")));
  closing.addEventListener("abort", stop);
  // The connection can be lost before `ended` is awaited.
  ended.catch(() => undefined);
  try {
    await client.connect();
    client.on("notification", onHint);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onListening();
    await ended;
  } finally {
    closing.removeEventListener("abort", stop);
    await client.end().catch(() => undefined);
  }
}
