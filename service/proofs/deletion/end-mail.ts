import { setTimeout as sleep } from "node:timers/promises";
import { systemActor } from "../../src/actor.ts";
import { requestDeletion, startPurge } from "../../src/data-rights/deletion-store.ts";
import type { Database } from "../../src/db/database.ts";
import { markExpiredLeasesInDoubt } from "../../src/in-doubt/expired-leases.ts";
import { failInDoubt } from "../../src/in-doubt/resolve-in-doubt.ts";
import { bothModes } from "../../src/mode.ts";
import { cancelSends } from "../../src/queue/cancel-sends.ts";
import { countQueued } from "../../src/queue/queued-of-account.ts";
import { change } from "../../test/send-rows.ts";

const maxMs = 60_000;

/** Marks the account, ends its mail as the command and the workers do, and lets two days pass. */
export async function endMail(db: Database, accountId: string): Promise<void> {
  await requestDeletion(db, accountId, systemActor);
  for (const until = performance.now() + maxMs; performance.now() < until; await sleep(50)) {
    await cancelSends(db, { accountId, message: "deleted" });
    await change(db, "update send_queue set due_at = now() where account_id = $1 and state in ('leased', 'in-doubt')", [
      accountId,
    ]);
    for (const mode of bothModes) {
      await markExpiredLeasesInDoubt(db, mode);
      await failInDoubt(db, mode, { inDoubtSeconds: 0, inDoubtMaxSeconds: 0 });
    }
    if ((await countQueued(db, { accountId })).length === 0) break;
  }
  await change(
    db,
    "update account_deletions set requested_at = requested_at - interval '2 days' where account_id = $1",
    [accountId],
  );
  if (!(await startPurge(db, accountId))) throw new Error("the purge could not start");
}
