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

const nothing: ServerSeen = { position: null, changedAt: null };

/**
 * Notices a failover or a restore, and puts the sends of before in doubt. Claims do not depend on how soon it looks: they
 * take nothing from a server that no worker has met.
 */
export class FailoverWatch {
  readonly #deps: WatchDeps;
  #seen: ServerSeen;

  /** `seen` is what it knows to begin with: nothing, but in a test. */
  constructor(deps: WatchDeps, seen: ServerSeen = nothing) {
    this.#deps = deps;
    this.#seen = seen;
  }

  /** Returns whether claims can go on that could not before. */
  async look(): Promise<boolean> {
    const { db, log, metrics } = this.#deps;
    const look = await inspectServer(db, this.#seen);
    if (look.isKnown) {
      this.#seen = look;
      return false;
    }
    const change = await recognizeServer(db, this.#seen);
    this.#seen = nothing;
    if (change !== undefined) {
      metrics.failovers.inc({ cause: change.cause });
      log.error({ ...change, see: "docs/runbook.md, after a restore or failover" }, "database.failover-detected");
    }
    return change !== undefined || look.isSweeping ? this.#sweep() : true;
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
