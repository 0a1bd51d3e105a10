import { randomUUIDv7 } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { writeMark } from "./failover-marks.ts";
import { inspectServer, recognizeServer, type ServerSeen } from "./failover-store.ts";
import { sweepDueScheduled, sweepOlderSends } from "./failover-sweep.ts";

interface WatchDeps {
  db: Queryable;
  log: Log;
  metrics: Metrics;
}

const nothingSeen: ServerSeen = { position: null, failoverAt: null, mark: null };

/** Above the time that a failover takes. A worker that lost its server for longer does not know what the others did there. */
const markLastsMs = 120_000;

/**
 * Detects a failover or a restore and marks all earlier sends as in doubt. How soon it runs does not matter for safety: claims take
 * nothing from a server run that is not stored.
 */
export class FailoverWatch {
  readonly #deps: WatchDeps;
  readonly #worker = randomUUIDv7();
  #seen: ServerSeen;
  #markedAtMs = performance.now();

  constructor(deps: WatchDeps, seen: ServerSeen = nothingSeen) {
    this.#deps = deps;
    this.#seen = seen;
  }

  /** Returns whether workers can claim now and could not before. */
  async check(): Promise<boolean> {
    const { db, log, metrics } = this.#deps;
    if (performance.now() - this.#markedAtMs > markLastsMs) this.#seen = { ...this.#seen, mark: null };
    const server = await inspectServer(db, this.#seen);
    if (server.isKnown) {
      const { position, failoverAt } = server;
      this.#seen = { position, failoverAt, mark: server.waitsForStandby ? this.#seen.mark : null };
      if (server.waitsForStandby) await this.#mark();
      return false;
    }
    const failover = await recognizeServer(db, this.#seen);
    this.#seen = nothingSeen;
    if (failover?.cause === "no-loss") {
      metrics.failovers.inc({ cause: failover.cause });
      log.warn({ ...failover }, "database.failover-without-loss");
      return true;
    }
    if (failover !== undefined) {
      metrics.failovers.inc({ cause: failover.cause });
      log.error({ ...failover, see: "docs/runbook.md, after a restore or failover" }, "database.failover-detected");
    }
    return failover !== undefined || server.isSweeping ? this.#sweep() : true;
  }

  async #mark(): Promise<void> {
    const atMs = performance.now();
    const mark = await writeMark(this.#deps.db, this.#worker);
    this.#seen = { ...this.#seen, mark: mark ?? null };
    this.#markedAtMs = atMs;
  }

  async #sweep(): Promise<boolean> {
    const { db, log } = this.#deps;
    for (;;) {
      if ((await sweepDueScheduled(db)) > 0) continue;
      const sweep = await sweepOlderSends(db);
      if (sweep === undefined) return false;
      if (sweep.total === null) continue;
      log.warn({ count: sweep.total }, "delivery.older-sends-in-doubt");
      return true;
    }
  }
}
