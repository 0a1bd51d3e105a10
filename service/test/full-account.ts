import { readKeyIssuer } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { applyFeedback } from "../src/feedback/apply-feedback.ts";
import { markSent } from "../src/queue/settle-sends.ts";
import { writeEverywhere } from "./address-everywhere.ts";
import { anApiKey, aUser } from "./builders.ts";
import { aReport } from "./feedback-report-fixture.ts";
import { aQueuedSend, aSuppression, attemptOf, aVerifiedDomain, claimAgain } from "./send-builders.ts";
import { change } from "./send-rows.ts";
import { anEnvironment } from "./test-config.ts";
import { aDelivery, aReplay, aWebhook } from "./webhook-builders.ts";

/** An account with a delivered send and rows in most tables that have an account. */
export async function aFullAccount(db: Database) {
  const { accountId, id: userId } = await aUser(db);
  const domain = await aVerifiedDomain(db, accountId);
  const id = await aQueuedSend(db, { accountId, fromDomain: domain, to: ["jane@example.test"] });
  const sent = { id, accountId, messageId: `m-${id}` };
  await markSent(db, [
    { ...attemptOf(await claimAgain(db, id)), outcome: "accepted", providerMessageId: sent.messageId },
  ]);
  await applyFeedback(
    db,
    [aReport(sent, { kind: "delivery", recipients: ["jane@example.test"], durationMs: 5 })],
    Date.now(),
  );
  await writeEverywhere(db, { accountId, sendId: id, address: `jane-${id.slice(-6)}@example.test` });
  const endpointId = await aWebhook(db, { accountId });
  await aDelivery(db, { accountId, endpointId, state: "pending" });
  await aReplay(db, { accountId, endpointId });
  await aSuppression(db, { accountId, email: "jane@example.test" });
  await anApiKey(db, readKeyIssuer(anEnvironment()), accountId);
  await change(db, "insert into account_quotas (account_id, mode) values ($1, 'live')", [accountId]);
  return { accountId, userId, domain, sent };
}
