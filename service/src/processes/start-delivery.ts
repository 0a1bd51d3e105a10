import { createCautiousClock } from "../cautious-clock.ts";
import { listenForHints } from "../db/hints.ts";
import { DeliveryLoop } from "../delivery/delivery-loop.ts";
import { tickQueue } from "../delivery/queue-tick.ts";
import { FailoverWatch } from "../in-doubt/failover-watch.ts";
import { startTicker } from "../loops/ticker.ts";
import type { Mode } from "../mode.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { sendQueuedChannel } from "../queue/send-hint.ts";
import { openSettlements } from "../queue/settlement-batches.ts";
import type { ProcessContext } from "./run-process.ts";

const tickMs = 500;

interface Delivering {
  mode: Mode;
  provider: Pick<EmailProvider, "submit">;
  /** Each mode has its own, so that a flood of tests does not delay live mail. */
  slots: number;
}

/** Everything that takes the sends of one mode from the queue to their provider, in this process. */
export function startDelivery({ config, db, log, metrics }: ProcessContext, { mode, provider, slots }: Delivering) {
  const loop = new DeliveryLoop({
    db,
    mode,
    slots,
    deps: {
      db,
      provider,
      settlements: openSettlements(db),
      contentKeys: config.secrets.contentKey,
      giveUpAfterSeconds: config.delivery.giveUpAfterSeconds,
      log,
      metrics,
      clock: createCautiousClock(),
    },
  });
  loop.start();
  // What the sandbox was given is in the database itself, so that nothing of it can be lost alone, and its silence needs no
  // other mail to mean something.
  const { inDoubtSeconds } = config.delivery;
  const rule = mode === "live" ? config.delivery : { ...config.delivery, inDoubtMaxSeconds: inDoubtSeconds };
  const watch = mode === "live" ? new FailoverWatch({ db, log, metrics }) : undefined;
  const ticker = startTicker({
    pauseMs: tickMs,
    run: async () => {
      if ((await watch?.look()) === true) loop.wake();
      if (await tickQueue({ db, mode, rule, log, metrics })) loop.wake();
      await loop.probe();
    },
    onFailure: (err) => log.error({ err }, "delivery.tick-failed"),
  });
  const onHint = () => loop.wake();
  const hints = listenForHints({ directUrl: config.database.directUrl, channel: sendQueuedChannel, onHint, log });
  return {
    /** Ends when what is being handed over has been settled. */
    async stop(): Promise<void> {
      await Promise.all([loop.stop(), ticker.stop(), hints.close()]);
    },
  };
}
