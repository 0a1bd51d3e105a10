import { queueDueSends } from "../accept/queue-scheduled.ts";
import { createCautiousClock } from "../cautious-clock.ts";
import { DeliveryLoop } from "../delivery/delivery-loop.ts";
import { tickQueue } from "../delivery/queue-tick.ts";
import type { DeliveryDeps } from "../delivery/submit-send.ts";
import { FailoverWatch } from "../in-doubt/failover-watch.ts";
import { noteWorkersUp } from "../in-doubt/feedback-progress.ts";
import { startTicker } from "../loops/ticker.ts";
import type { Mode } from "../mode.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { sendQueuedChannel } from "../queue/claim-sends.ts";
import { findDueMoves } from "../queue/due-moves.ts";
import { LastAcceptance } from "../queue/last-acceptance.ts";
import { DeniedDomainParking } from "../queue/park-denied-domains.ts";
import { openSettlements } from "../queue/settle-sends.ts";
import type { ProcessContext } from "./run-process.ts";

/** Often while mail is queued or a move is due, and for so long after that and after the start. */
const tickMs = { busy: 500, idle: 2_000 };
const busyForMs = 10_000;
/** The statement does nothing for two seconds after another one of it. */
const noteUpEveryMs = 2_000;

interface DeliveryOptions {
  mode: Mode;
  provider: Pick<EmailProvider, "submit">;
  tenantOf?: DeliveryDeps["tenantOf"];
  /** Each mode has its own slots, so that a flood of test mail does not delay live mail. */
  slots: number;
  /** So does this bound on the content in memory. */
  maxBytes: number;
}

/** Starts all the work of this process that submits the sends of one mode to the provider. */
export function startDelivery(
  { config, db, hints, log, metrics, claims }: ProcessContext,
  { mode, provider, tenantOf, slots, maxBytes }: DeliveryOptions,
) {
  let busyAt = performance.now();
  let notedUpAt = Number.NEGATIVE_INFINITY;
  const onHint = () => {
    busyAt = performance.now();
    loop.wake();
  };
  const loop = new DeliveryLoop({
    db,
    mode,
    slots,
    maxBytes,
    claims,
    hasHints: () => queued.isListening(),
    deps: {
      db,
      provider,
      tenantOf,
      settlements: openSettlements(db),
      lastAcceptance: new LastAcceptance(db, mode),
      contentKeys: config.secrets.contentKey,
      giveUpAfterSeconds: config.delivery.giveUpAfterSeconds,
      log,
      metrics,
      clock: createCautiousClock(),
    },
  });
  const queued = hints.listen(sendQueuedChannel[mode], onHint);
  loop.start();
  // The sandbox records each submission in this same database, so its report cannot be lost on the way. When it has reported
  // nothing after IN_DOUBT_SECONDS, it did not accept the send, and no other evidence is needed.
  const { inDoubtSeconds } = config.delivery;
  const rule = mode === "live" ? config.delivery : { ...config.delivery, inDoubtMaxSeconds: inDoubtSeconds };
  const watch = mode === "live" ? new FailoverWatch({ db, log, metrics }) : undefined;
  // The sandbox denies no domain.
  const parking = mode === "live" ? new DeniedDomainParking(db, mode) : undefined;
  const usesTenants = tenantOf !== undefined;
  const ticker = startTicker({
    pauseMs: () => (performance.now() - busyAt < busyForMs ? tickMs.busy : tickMs.idle),
    run: async () => {
      if ((await watch?.check()) === true) loop.wake();
      const due = await findDueMoves(db, mode);
      const now = performance.now();
      if (due.scheduled || due.queued || due.probe) busyAt = now;
      if (due.scheduled && (await queueDueSends(db, mode)) > 0) loop.wake();
      if (due.queued && (await tickQueue({ db, mode, rule, log, metrics, usesTenants }))) loop.wake();
      // `tickQueue` notes it as well, before it resolves sends in doubt.
      if (!due.queued && mode === "live" && now - notedUpAt >= noteUpEveryMs) {
        notedUpAt = now;
        await noteWorkersUp(db, mode);
      }
      if (due.probe) await loop.probe();
      // Last: a failure here must not keep the probes from going out.
      await parking?.parkIfDue();
    },
    onFailure: (err) => log.error({ err }, "delivery.tick-failed"),
  });
  return {
    /** Resolves when the submissions in progress are settled. */
    async stop(): Promise<void> {
      await Promise.all([loop.stop(), ticker.stop()]);
    },
  };
}
