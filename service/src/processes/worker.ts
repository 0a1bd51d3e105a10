import { readWorkerConfig } from "../config.ts";
import type { Chore } from "../loops/chores.ts";
import { startChores } from "../loops/chores.ts";
import { storageChores } from "../storage/storage-chores.ts";
import { openLiveMail } from "./live-mail.ts";
import { type ProcessContext, type Running, runProcess } from "./run-process.ts";
import { startSandbox } from "./start-sandbox.ts";

export function runWorker(): Promise<void> {
  return runProcess("worker", readWorkerConfig, startWorker);
}

/** Live mail needs AWS; test mail and the storage chores do not. */
export async function startWorker(context: ProcessContext): Promise<Running> {
  const { config, db, log } = context;
  warnAboutShortWait(context);
  const live = await openLiveMail(context);
  if (live === undefined) log.warn({ missing: "AWS_FEEDBACK_TOPIC_ARN", run: "postern aws setup" }, "aws.not-set-up");
  const chores = await startAll(context, [...storageChores({ db, log, ...config }), ...(live?.chores ?? [])]).catch(
    async (error) => {
      await live?.close();
      throw error;
    },
  );
  const running = [await startSandbox(context), chores, ...(live?.start() ?? [])];
  const stop = async () => {
    await Promise.all(running.map((each) => each.stop()));
    await live?.close();
  };
  return { facts: { mode: live === undefined ? "test mail only" : "live and test mail" }, stop };
}

/** The default. A network can delay a request, so that SES accepts the mail long after the worker gave up on it. */
const recommendedInDoubtSeconds = 120;

function warnAboutShortWait({ config, log }: ProcessContext): void {
  const { inDoubtSeconds } = config.delivery;
  if (config.provider.kind !== "ses" || inDoubtSeconds >= recommendedInDoubtSeconds) return;
  log.warn(
    { setting: "IN_DOUBT_SECONDS", seconds: inDoubtSeconds, recommended: recommendedInDoubtSeconds },
    "delivery.short-in-doubt-wait",
  );
}

function startAll({ config, log }: ProcessContext, chores: Chore[]) {
  return startChores(config.database.directUrl, chores, log);
}
