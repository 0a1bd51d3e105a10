import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../log.ts";
import { tcpKeepalive } from "./connection-rate-limit.ts";
import type { Queryable } from "./database.ts";

/**
 * Tells listeners that there is something to look at. At most one hint is under way; what happens meanwhile is told by one
 * more. Never part of a transaction, where it would halve the rate of inserts.
 */
export function createHint(db: Queryable, channel: string): () => void {
  let isUnderWay = false;
  let isNews = false;
  async function tell(): Promise<void> {
    while (isNews) {
      isNews = false;
      // A hint that is lost costs its listeners a poll and nothing else.
      await db.query({ name: "hint", text: "select pg_notify($1, '')", values: [channel] }).catch(() => undefined);
    }
    isUnderWay = false;
  }
  return () => {
    isNews = true;
    if (isUnderWay) return;
    isUnderWay = true;
    void tell();
  };
}

interface Listening {
  /** Not through a pooler: it would hand the connection to somebody else. */
  directUrl: string;
  channel: string;
  onHint: () => void;
  log: Log;
}

/** Twice as long after each loss that follows soon: over a bad network every try leaves a session behind on the server. */
const reconnectMs = { least: 1_000, most: 16_000 };
const soonMs = 30_000;

/** Listens on a connection of its own, and again on a new one when that is lost. */
export function listenForHints({ directUrl, channel, onHint, log }: Listening): { close(): Promise<void> } {
  const closing = new AbortController();
  const listening = (async () => {
    for (let pauseMs = reconnectMs.least; !closing.signal.aborted; ) {
      const begun = performance.now();
      await listenUntilLost({ directUrl, channel, onHint }, closing.signal).catch((err: unknown) => {
        log.warn({ channel, err }, "hints.lost");
      });
      if (performance.now() - begun > soonMs) pauseMs = reconnectMs.least;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, reconnectMs.most);
    }
  })();
  return {
    close: () => {
      closing.abort();
      return listening;
    },
  };
}

/** Resolves when it is told to stop; rejects when the connection is lost. */
async function listenUntilLost(
  { directUrl, channel, onHint }: Omit<Listening, "log">,
  closing: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString: directUrl,
    application_name: "postern-hints",
    options: tcpKeepalive,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  const { promise: ended, resolve: end, reject: lose } = Promise.withResolvers<void>();
  const stop = () => end();
  client.on("error", lose);
  client.on("end", () => lose(new Error("the connection ended")));
  closing.addEventListener("abort", stop);
  // It may be lost before anyone waits for it.
  ended.catch(() => undefined);
  try {
    await client.connect();
    client.on("notification", onHint);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    // What was told while nobody listened is looked for now.
    onHint();
    await ended;
  } finally {
    closing.removeEventListener("abort", stop);
    await client.end().catch(() => undefined);
  }
}
