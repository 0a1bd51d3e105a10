import type { Database } from "../src/db/database.ts";
import type { ServerSeen } from "../src/in-doubt/failover-store.ts";
import { FailoverWatch } from "../src/in-doubt/failover-watch.ts";
import type { Mode } from "../src/mode.ts";
import { claimSends } from "../src/queue/claim-sends.ts";
import { anAccount } from "./builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "./delivery-fixture.ts";
import { aQueuedSend } from "./send-builders.ts";
import { change } from "./send-rows.ts";

/** SQL: the identity of another system. */
export const otherSystem = "'7000000000000000001/00000001/5'";

/** The watch of one worker, with its log lines and a function that reads its counters. */
export function aWatch(db: Database, seen?: ServerSeen) {
  const { deps, lines, counted } = aDeliveryFixture(db, aProviderThat(answers.accepted).provider);
  return { watch: new FailoverWatch({ ...deps, db }, seen), lines, counted };
}

/** Simulates a failover: the data was written on a server with this identity and arrived here by replication or a backup. */
export async function failOverFrom(db: Database, server: string): Promise<void> {
  await change(db, `update provider_state set server = ${server}, server_run = '1.5/5' where mode = 'live'`);
}

export async function aReadySend(db: Database, mode: Mode = "live"): Promise<string> {
  return aQueuedSend(db, { accountId: await anAccount(db), mode });
}

/** Claims all ready sends. */
export async function claimAll(db: Database, mode: Mode) {
  const limits = { maxSends: 100, maxRecipients: 100, fromFairAt: "-infinity", isProbe: false };
  return (await claimSends(db, { mode, ...limits })).sends;
}

/** Claims all ready sends and returns their ids. */
export async function claimedIds(db: Database, mode: Mode): Promise<string[]> {
  return (await claimAll(db, mode)).map(({ id }) => id);
}
