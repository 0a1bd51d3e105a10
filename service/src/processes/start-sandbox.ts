import { openDatabaseClock } from "../db/database-clock.ts";
import { applySandboxReports } from "../feedback/sandbox-reports.ts";
import { createFeedbackReceiver } from "../feedback/take-feedback.ts";
import { startTicker } from "../loops/ticker.ts";
import { createSandbox } from "../provider/sandbox/sandbox-provider.ts";
import type { ProcessContext } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";

const slots = 20;
const tellEveryMs = 200;

/** Test mail, from the queue to its reports; it shares nothing with live mail but the code. */
export async function startSandbox(context: ProcessContext): Promise<{ stop(): Promise<void> }> {
  const { db, log, metrics } = context;
  const take = createFeedbackReceiver({ db, log, metrics, mode: "test", clock: await openDatabaseClock(db) });
  const delivery = startDelivery(context, { mode: "test", provider: createSandbox(db), slots });
  const teller = startTicker({
    pauseMs: tellEveryMs,
    run: () => applySandboxReports(db, take),
    onFailure: (err) => log.error({ err }, "sandbox.tick-failed"),
  });
  return {
    async stop() {
      await Promise.all([delivery.stop(), teller.stop()]);
    },
  };
}
