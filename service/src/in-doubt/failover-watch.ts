import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { inspectServer, recognizeServer, type ServerSeen } from "./failover-store.ts";
import { sweepOlderSends } from "./failover-sweep.ts";

interface WatchDeps {
  db: Queryable;
  log: Log;
  metrics: Metrics;
}

const nothingSeen: ServerSeen = { position: null, failoverAt: null };

/**
 * Detects a failover or a restore and marks all earlier sends as in doubt. How soon it runs does not matter for safety: claims take
 * nothing from a server run that is not stored.
 */
export class FailoverWatch {
  readonly #deps: WatchDeps;
  #seen: ServerSeen;

  constructor(deps: WatchDeps, seen: ServerSeen = nothingSeen) {
    this.#deps = deps;
    this.#seen = seen;
  }

  /** Returns whether workers can claim now and could not before. */
  async check(): Promise<boolean> {
    const { db, log, metrics } = this.#deps;
    const server = await inspectServer(db, this.#seen);
    if (server.isKnown) {
      this.#seen = server;
      return false;
    }
    const failover = await recognizeServer(db, this.#seen);
    this.#seen = nothingSeen;
    if (failover !== undefined) {
      metrics.failovers.inc({ cause: failover.cause });
      log.error({ ...failover, see: "docs/runbook.md, after a restore or failover" }, "database.failover-detected");
    }
    return failover !== undefined || server.isSweeping ? this.#sweep() : true;
  }

  async #sweep(): Promise<boolean> {
    const { db, log } = this.#deps;
    for (;;) {
      const sweep = await sweepOlderSends(db);
      if (sweep === undefined) return false;
      if (sweep.total === null) continue;
      log.warn({ count: sweep.total }, "delivery.older-sends-in-doubt");
      return true;
    }
  }
}
