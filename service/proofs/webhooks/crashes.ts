import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import type { PosternProcess } from "../../test/spawn-postern.ts";
import { type FeedbackCell, killProcess } from "../cell/feedback-cell.ts";
import { until } from "../until.ts";
import { loopbackSettings } from "./loopback-receiver.ts";
import { untilItWorks } from "./reported-sends.ts";
import type { RestartingPostgres } from "./restarting-postgres.ts";

export interface CrashPlan {
  /** In this order: one worker or both are killed, or PostgreSQL is stopped. */
  crashes: ("one worker" | "both workers" | "postgres")[];
  /** The least time between two. */
  pauseMs: number;
  /** How long a crash waits for a request: leases of killed workers can occupy an endpoint for 30 s. Then it happens without one. */
  waitSeconds: number;
  /**
   * A delivery that a killed worker had claimed waits for the end of its lease, 30 s. With this the proof ends the leases when no worker
   * runs that could have one.
   */
  endsLeasesOfKilled: boolean;
}

interface CrashDeps {
  cell: FeedbackCell;
  postgres: RestartingPostgres;
  plan: CrashPlan;
  /** The number of requests that receivers got so far. */
  requests: () => number;
}

const downMs = 500;

/** Two real workers. A crash comes right after a request has arrived, before its result is stored. */
export function startCrashingWorkers({ cell, postgres, plan, requests }: CrashDeps) {
  // A worker that starts while PostgreSQL is down ends, and is started again as a supervisor does.
  const startAgain = async (tries = 5): Promise<PosternProcess> => {
    try {
      return await cell.start("worker", loopbackSettings);
    } catch (error) {
      if (tries === 1) throw error;
      await sleep(1_000);
      return startAgain(tries - 1);
    }
  };
  const start = () => {
    const worker = startAgain();
    worker.catch(() => undefined); // The next crash awaits it.
    return worker;
  };
  let workers = [start(), start()];
  const counts = { kills: 0, stops: 0, duringRequests: 0 };

  async function kill(count: number): Promise<void> {
    const dying = (await Promise.all(workers)).slice(0, count);
    await Promise.all(dying.map(killProcess));
    counts.kills += count;
    if (plan.endsLeasesOfKilled && count === workers.length) await endLeases(cell.db);
    workers = [...workers.slice(count), ...dying.map(start)];
  }

  async function crash(kind: CrashPlan["crashes"][number]): Promise<void> {
    switch (kind) {
      case "one worker":
        return kill(1);
      case "both workers":
        return kill(2);
      case "postgres":
        counts.stops += 1;
        return postgres.restart(downMs);
    }
  }

  return {
    counts,
    /** Runs the plan, and `beside` during each crash. */
    async run(beside: (number: number) => Promise<void>): Promise<void> {
      for (const [number, kind] of plan.crashes.entries()) {
        const working = beside(number);
        await Promise.all([...workers, sleep(plan.pauseMs)]);
        const before = requests();
        const hasArrived = async () => requests() > before;
        await until("a request arrives", plan.waitSeconds, hasArrived, 1).catch(() => undefined);
        if (requests() > before) counts.duringRequests += 1;
        await crash(kind);
        await working;
      }
      await Promise.all(workers);
    },
  };
}

async function endLeases(db: Database): Promise<void> {
  await untilItWorks(() =>
    db.query({
      name: "end-leases-of-killed",
      text: "update webhook_queue set due_at = now() where state = 'delivering'",
    }),
  );
}
