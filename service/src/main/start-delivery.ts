import { listenForHints } from "../db/hints.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { sendQueuedChannel } from "../sends/send-hint.ts";
import { openSettlements } from "../sends/settlement-batches.ts";
import { DeliveryLoop } from "../worker/delivery-loop.ts";
import { tickQueue } from "../worker/queue-tick.ts";
import { startTicker } from "../worker/ticker.ts";
import type { ProcessGround } from "./run-process.ts";

const tickMs = 500;

/** Everything that takes a live send from the queue to the provider, in this process. */
export function startDelivery({ config, db, log, metrics }: ProcessGround, provider: EmailProvider) {
  const mode = "live";
  const loop = new DeliveryLoop({
    db,
    mode,
    slots: config.delivery.slots,
    desk: {
      db,
      provider,
      settlements: openSettlements(db),
      contentKeys: config.secrets.contentKey,
      giveUpAfterSeconds: config.delivery.giveUpAfterSeconds,
      log,
      metrics,
      clock: () => performance.now(),
    },
  });
  loop.start();
  const ticker = startTicker({
    pauseMs: tickMs,
    run: async () => {
      if (await tickQueue({ db, mode, rule: config.delivery, log, metrics })) loop.wake();
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
