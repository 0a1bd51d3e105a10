import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
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

interface HintOptions {
  /** Not through a pooler, which would give the connection to other clients. */
  directUrl: string;
  log: Log;
}

/** The pause doubles while connections are short-lived: over a broken network every try can leave a session on the server. */
const reconnectMs = { min: 1_000, max: 16_000 };
const stableAfterMs = 30_000;

export interface Hints {
  /** Also calls `onHint` whenever it begins to listen, because hints sent before that were missed. */
  listen(channel: string, onHint: () => void): { isListening(): boolean };
  close(): Promise<void>;
}

interface Subscription {
  channel: string;
  onHint: () => void;
  /** Whether hints arrive now, as far as this side of the connection knows. */
  isListening: boolean;
}

/** Listens to all channels on one connection of its own, which it opens for the first channel and again when it is lost. */
export function openHints({ directUrl, log }: HintOptions): Hints {
  const closing = new AbortController();
  const subscriptions: Subscription[] = [];
  let client: pg.Client | undefined;
  let listening: Promise<void> | undefined;

  const onConnected = async (connected: pg.Client) => {
    client = connected;
    connected.on("notification", ({ channel }) => {
      for (const each of subscriptions) if (each.channel === channel) each.onHint();
    });
    for (const each of subscriptions) await subscribe(connected, each);
  };
  const onLost = () => {
    client = undefined;
    for (const each of subscriptions) each.isListening = false;
  };
  const keepListening = async () => {
    for (let pauseMs = reconnectMs.min; !closing.signal.aborted; ) {
      const begun = performance.now();
      await listenUntilLost({ directUrl, onConnected }, closing.signal).catch((err: unknown) => {
        log.warn({ channels: subscriptions.map(({ channel }) => channel), err }, "hints.lost");
      });
      onLost();
      if (performance.now() - begun > stableAfterMs) pauseMs = reconnectMs.min;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, reconnectMs.max);
    }
  };
  return {
    listen(channel, onHint) {
      const subscription = { channel, onHint, isListening: false };
      subscriptions.push(subscription);
      // An error ends the connection, and the next one listens to all channels.
      if (client !== undefined) subscribe(client, subscription).catch(() => undefined);
      listening ??= keepListening();
      return { isListening: () => subscription.isListening };
    },
    async close() {
      closing.abort();
      await listening;
    },
  };
}

async function subscribe(client: pg.Client, subscription: Subscription): Promise<void> {
  await client.query(`listen ${client.escapeIdentifier(subscription.channel)}`);
  subscription.isListening = true;
  subscription.onHint();
}

interface Connection {
  directUrl: string;
  onConnected: (client: pg.Client) => Promise<void>;
}

/** Resolves when `closing` is aborted; rejects when the connection is lost. */
async function listenUntilLost({ directUrl, onConnected }: Connection, closing: AbortSignal): Promise<void> {
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
    await onConnected(client);
    await ended;
  } finally {
    closing.removeEventListener("abort", stop);
    await client.end().catch(() => undefined);
  }
}
