import { openDatabaseClock } from "../db/database-clock.ts";
import { tellSandboxReports } from "../feedback/sandbox-reports.ts";
import { createFeedbackTaker } from "../feedback/take-feedback.ts";
import { startTicker } from "../loops/ticker.ts";
import { createSandbox } from "../provider/sandbox/sandbox-provider.ts";
import type { ProcessGround } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";

const slots = 20;
const tellEveryMs = 200;

/** Test mail, from the queue to its reports; it shares nothing with live mail but the code. */
export async function startSandbox(ground: ProcessGround): Promise<{ stop(): Promise<void> }> {
  const { db, log, metrics } = ground;
  const take = createFeedbackTaker({ db, log, metrics, mode: "test", clock: await openDatabaseClock(db) });
  const delivery = startDelivery(ground, { mode: "test", provider: createSandbox(db), slots });
  const teller = startTicker({
    pauseMs: tellEveryMs,
    run: () => tellSandboxReports(db, take),
    onFailure: (err) => log.error({ err }, "sandbox.tick-failed"),
  });
  return {
    async stop() {
      await Promise.all([delivery.stop(), teller.stop()]);
    },
  };
}
