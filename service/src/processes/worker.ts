import { readWorkerConfig } from "../config.ts";
import { guardChores } from "../guard/guard-chores.ts";
import { startGuard } from "../guard/guard-loop.ts";
import { invitationChores } from "../invitations/invitation-chores.ts";
import { startChores } from "../loops/chores.ts";
import { moveChores } from "../moves/move-chores.ts";
import { noticeChores } from "../notices/send-notices.ts";
import { queueChores } from "../queue/queue-chores.ts";
import { storageChores } from "../storage/storage-chores.ts";
import { removalRecordChores } from "../suppressions/suppression-chores.ts";
import { usageChores } from "../usage/usage-chores.ts";
import { webhookChores } from "../webhooks/webhook-chores.ts";
import { openAcceptDeps } from "./accept-deps.ts";
import { openLiveMail } from "./live-mail.ts";
import { type ProcessContext, runProcess, type StartContext } from "./run-process.ts";
import { startSandbox } from "./start-sandbox.ts";
import { startWebhooks } from "./start-webhooks.ts";

export function runWorker(): Promise<void> {
  return runProcess("worker", readWorkerConfig, startWorker);
}

/**
 * Live mail needs AWS; test mail, webhooks and the storage chores do not. The chores start after every other step that can fail, so that a
 * worker takes none before it can do them.
 */
export async function startWorker(context: StartContext) {
  const { config, db, log, metrics, started } = context;
  warnAboutShortWait(context);
  const live = await openLiveMail(context);
  if (live === undefined) log.warn({ missing: "AWS_FEEDBACK_TOPIC_ARN", run: "postern aws setup" }, "aws.not-set-up");
  const sandbox = await startSandbox(context);
  started.addWork(() => sandbox.stop());
  const choresToRun = [
    ...storageChores({ db, log, ...config }),
    ...usageChores({ db, log }),
    ...guardChores(db),
    ...invitationChores(db),
    ...removalRecordChores(db),
    ...(config.notices.sender === undefined
      ? []
      : noticeChores({
          db,
          log,
          sender: config.notices.sender,
          operatorEmail: config.notices.operatorEmail,
          openAccept: () => openAcceptDeps(config, db),
        })),
    ...queueChores({ db }),
    ...moveChores({ db, log }),
    ...webhookChores({ db, log, metrics }),
    ...(live?.chores ?? []),
  ];
  const chores = await startChores({ db, log, watch: context.chores }, choresToRun);
  started.addWork(() => chores.stop());
  live?.start();
  const webhooks = startWebhooks(context);
  started.addWork(() => webhooks.stop());
  const guard = startGuard({ db, log });
  started.addWork(() => guard.stop());
  return { mode: live === undefined ? "test mail only" : "live and test mail" };
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
