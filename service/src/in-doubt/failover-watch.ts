import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { lookAtServer, meetServer, type ServerSeen } from "./failover-store.ts";
import { doubtOlderSends } from "./failover-sweep.ts";

interface WatchDesk {
  db: Queryable;
  log: Log;
  metrics: Metrics;
}

const nothing: ServerSeen = { position: null, changedAt: null };

/**
 * Notices a failover or a restore, and puts the sends of before in doubt. Claims do not depend on how soon it looks: they
 * take nothing from a server that no worker has met.
 */
export class ServerWatch {
  readonly #desk: WatchDesk;
  #seen: ServerSeen;

  /** `seen` is what it knows to begin with: nothing, but in a test. */
  constructor(desk: WatchDesk, seen: ServerSeen = nothing) {
    this.#desk = desk;
    this.#seen = seen;
  }

  /** Returns whether claims can go on that could not before. */
  async look(): Promise<boolean> {
    const { db, log, metrics } = this.#desk;
    const look = await lookAtServer(db, this.#seen);
    if (look.isKnown) {
      this.#seen = look;
      return false;
    }
    const change = await meetServer(db, this.#seen);
    this.#seen = nothing;
    if (change !== undefined) {
      metrics.serverChanges.inc({ cause: change.cause });
      log.error({ ...change, see: "docs/runbook.md, after a restore or failover" }, "delivery.server-changed");
    }
    return change !== undefined || look.isSweeping ? this.#sweep() : true;
  }

  async #sweep(): Promise<boolean> {
    const { db, log } = this.#desk;
    for (;;) {
      const sweep = await doubtOlderSends(db);
      if (sweep === undefined) return false;
      if (sweep.total === null) continue;
      log.warn({ count: sweep.total }, "delivery.older-sends-in-doubt");
      return true;
    }
  }
}
