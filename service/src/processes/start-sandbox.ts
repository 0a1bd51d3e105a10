import { openDatabaseClock } from "../db/database-clock.ts";
import { createFeedbackReceiver } from "../feedback/receive-feedback.ts";
import { applySandboxReports } from "../feedback/sandbox-reports.ts";
import { startTicker } from "../loops/ticker.ts";
import { createSandbox } from "../provider/sandbox/sandbox-provider.ts";
import type { ProcessContext } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";

const slots = 20;
const maxBytes = 16 * 1024 * 1024;
/** How often it looks for due reports: often while this process submits test mail, and for so long after the last one. */
const reportEveryMs = { busy: 200, idle: 2_000 };
const busyForMs = 10_000;

/** Delivers test mail and applies the reports of the sandbox. It shares only code with live mail, no state. */
export async function startSandbox(context: ProcessContext): Promise<{ stop(): Promise<void> }> {
  const { db, log, metrics } = context;
  const receive = createFeedbackReceiver({ db, log, metrics, mode: "test", clock: await openDatabaseClock(db) });
  const sandbox = createSandbox(db);
  let submittedAt = Number.NEGATIVE_INFINITY;
  const submit: typeof sandbox.submit = (...args) => {
    submittedAt = performance.now();
    return sandbox.submit(...args);
  };
  const delivery = startDelivery(context, { mode: "test", provider: { submit }, slots, maxBytes });
  const reporter = startTicker({
    pauseMs: () => (performance.now() - submittedAt < busyForMs ? reportEveryMs.busy : reportEveryMs.idle),
    run: () => applySandboxReports(db, receive),
    onFailure: (err) => log.error({ err }, "sandbox.tick-failed"),
  });
  return {
    async stop() {
      await Promise.all([delivery.stop(), reporter.stop()]);
    },
  };
}
