import { createCautiousClock } from "../cautious-clock.ts";
import { createDnsResolver } from "../domains/dns-resolver.ts";
import { fanOut } from "../webhooks/fan-out.ts";
import { openOutbound } from "../webhooks/outbound/post-notification.ts";
import { notifiedChannel, WebhookLoop } from "../webhooks/webhook-loop.ts";
import type { StartContext } from "./run-process.ts";

/** Claims, fan-out, settlements and expired leases each use one, and the short steps of replays any that is free. */
const connections = 4;

/** Delivers the webhooks of both modes. It has its own connections, so that it never takes those of mail. */
export function startWebhooks({ config, openDatabase, hints, log, metrics }: StartContext): { stop(): Promise<void> } {
  const db = openDatabase("webhooks", connections);
  const outbound = openOutbound({ resolver: createDnsResolver({ servers: config.dnsServers }), ...config.webhooks });
  const clock = createCautiousClock();
  const deps = { outbound, contentKeys: config.secrets.contentKey, clock, log };
  const loop = new WebhookLoop({ db, fanOut, deps, metrics });
  loop.start();
  hints.listen(notifiedChannel, () => loop.wake());
  return {
    /** Resolves when the attempts in progress are settled, or their time is over. */
    stop: () => loop.stop(),
  };
}
