import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import {
  aReport,
  aSubmittedSend,
  permanentBounce,
  recordOf,
  spamComplaint,
} from "../../test/feedback-report-fixture.ts";
import { aClaimedSend, aQueuedSend, aSuppression, attemptOf, aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { anEndpoint, notificationsOf } from "../../test/webhook-builders.ts";
import { claimSends } from "../queue/claim-sends.ts";
import { markFailed, markSent } from "../queue/settle-sends.ts";
import { removeSuppression } from "../suppressions/suppression-store.ts";
import { fanOut } from "../webhooks/fan-out.ts";
import { applyFeedback } from "./apply-feedback.ts";

const database = useTestDatabase();
const now = () => Date.now();

test("each move of a send is notified once, numbered, with the status of the record at that moment", async () => {
  const { db } = database;
  const send = await aClaimedSend(db, { to: ["Jane@x.test", "bob@x.test"] });
  await anEndpoint(db, { accountId: send.accountId });
  await markSent(db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
  const reported = { id: send.id, accountId: send.accountId, messageId: "m-1" };
  const delivery = aReport(reported, { kind: "delivery", recipients: ["jane@x.test"] });
  await applyFeedback(db, [delivery], now());
  await applyFeedback(db, [delivery], now());
  await applyFeedback(
    db,
    [aReport(reported, { ...permanentBounce, recipients: ["bob@x.test"], feedbackId: "f" })],
    now(),
  );
  const found = await notificationsOf(db, send.accountId);
  expect(found.filter(({ sequence }) => sequence !== null)).toMatchObject([
    { type: "send.sent", sequence: 1, sendStatus: "sent" },
    { type: "send.delivered", sequence: 2, sendStatus: "delivered" },
    { type: "send.bounced", sequence: 3, sendStatus: "bounced" },
  ]);
  expect(found.filter(({ sequence }) => sequence === null)).toMatchObject([
    { type: "suppression.added", facts: { email: "bob@x.test", reason: "hard_bounce", send_id: send.id } },
  ]);
});

test("the envelope has the send, the recipient as the caller wrote it and the words of the server, and no other recipient", async () => {
  const { db } = database;
  const send = await aSubmittedSend(db, ["Jane@x.test", "bob@x.test"]);
  const endpoint = await anEndpoint(db, { accountId: send.accountId, types: ["send.bounced"] });
  await applyFeedback(db, [aReport(send, { ...permanentBounce, recipients: ["jane@x.test"], feedbackId: "f" })], now());
  expect((await fanOut(db, 100)).taken).toBeGreaterThan(0);
  expect((await fanOut(db, 100)).taken).toBe(0);
  const [{ envelope, publicId } = { envelope: null, publicId: "" }] = await notificationsOf(db, send.accountId);
  expect(JSON.parse(envelope ?? "")).toMatchObject({
    type: "send.bounced",
    mode: "live",
    data: {
      send: { id: send.id, status: "bounced", subject: "Your order", idempotency_key: send.id },
      recipient: "Jane@x.test",
      sequence: 1,
      bounce: { type: "Permanent", subtype: "NoEmail", suppressed: true, explanation: { cause: "unknown-mailbox" } },
    },
  });
  expect(envelope).not.toContain("bob@x.test");
  expect(await queueOf(endpoint)).toEqual([{ state: "pending", publicId, attempt: 0 }]);
});

test("a failed send says why", async () => {
  const { db } = database;
  const send = await aClaimedSend(db);
  await anEndpoint(db, { accountId: send.accountId, types: ["send.failed"] });
  const failed = { ...attemptOf(send), outcome: "refused" as const };
  await markFailed(db, [{ ...failed, code: "MESSAGE_TOO_LARGE", message: "Too large." }]);
  await fanOut(db, 100);
  const [{ envelope } = { envelope: null }] = await notificationsOf(db, send.accountId);
  expect(JSON.parse(envelope ?? "").data).toMatchObject({
    send: { status: "failed" },
    sequence: 1,
    failure: { code: "MESSAGE_TOO_LARGE", message: "Too large." },
  });
});

test("a send whose only recipient is suppressed at the claim is notified as suppressed", async () => {
  const { db } = database;
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  await anEndpoint(db, { accountId, types: ["send.suppressed"] });
  await aQueuedSend(db, { accountId, fromDomain, to: ["jane@x.test"] });
  await aSuppression(db, { accountId, email: "jane@x.test" });
  await claimSends(db, { mode: "live", maxSends: 100, maxRecipients: 100, fromFairAt: "-infinity", isProbe: true });
  expect(await notificationsOf(db, accountId)).toMatchObject([{ type: "send.suppressed", sendStatus: "suppressed" }]);
});

test("what no enabled endpoint of the account and mode wants is not stored, and the record gets no number", async () => {
  const { db } = database;
  const send = await aClaimedSend(db, { to: ["jane@x.test"] });
  const { accountId } = send;
  await anEndpoint(db, { accountId, mode: "test" });
  await anEndpoint(db, { accountId, types: ["send.complained"] });
  const disabled = await anEndpoint(db, { accountId });
  await change(db, "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1", [
    disabled,
  ]);
  await anEndpoint(db, { accountId: await anAccount(db) });
  await markSent(db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-2" }]);
  const reported = { id: send.id, accountId, messageId: "m-2" };
  await applyFeedback(db, [aReport(reported, { kind: "delivery", recipients: ["jane@x.test"] })], now());
  expect(await notificationsOf(db, accountId)).toEqual([]);
  const [row] = await db.query<{ notified: number | null }>({
    name: "notified-of",
    text: "select notified from sends where id = $1",
    values: [send.id],
  });
  expect(row).toEqual({ notified: null });
  await applyFeedback(db, [aReport(reported, { ...spamComplaint, recipients: ["jane@x.test"] })], now());
  expect(await notificationsOf(db, accountId)).toMatchObject([{ type: "send.complained", sequence: 1 }]);
  expect(await recordOf(db, reported)).toMatchObject({ status: "complained" });
});

test("a removed suppression, a held account and a verified domain are notified", async () => {
  const { db } = database;
  const accountId = await anAccount(db);
  await anEndpoint(db, { accountId });
  await aSuppression(db, { accountId, email: "jane@x.test" });
  await removeSuppression(db.forAccount(accountId), ["live"], "jane@x.test");
  await change(db, "update accounts set held_at = now() where id = $1", [accountId]);
  await change(db, "update accounts set held_at = null where id = $1", [accountId]);
  const domain = await aVerifiedDomain(db, accountId);
  await change(db, "update domains set verification_status = 'Failed' where domain_name = $1", [domain]);
  await change(db, "update domains set verification_status = 'Success' where domain_name = $1", [domain]);
  await fanOut(db, 100);
  const types = (await notificationsOf(db, accountId)).map(({ type, envelope }) => [
    type,
    JSON.parse(envelope ?? "").data,
  ]);
  expect(new Map(types as [string, unknown][])).toMatchObject(
    new Map<string, unknown>([
      ["suppression.added", { suppression: { email: "jane@x.test" } }],
      ["suppression.removed", { suppression: { email: "jane@x.test" } }],
      ["account.held", { account: { held_by: "operator" } }],
      ["account.released", { account: { held_by: "operator" } }],
      ["domain.failed", { domain: { name: domain } }],
      ["domain.verified", { domain: { name: domain } }],
    ]),
  );
  expect(types).toHaveLength(6);
});

test("an endpoint that was disabled meanwhile gets a paused delivery, and one that was made later none", async () => {
  const { db } = database;
  const send = await aClaimedSend(db);
  const endpoint = await anEndpoint(db, { accountId: send.accountId });
  await markSent(db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-3" }]);
  await change(
    db,
    "update webhook_endpoints set disabled_at = clock_timestamp(), disabled_reason = 'user' where id = $1",
    [endpoint],
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  const later = await anEndpoint(db, { accountId: send.accountId });
  await fanOut(db, 100);
  expect(await queueOf(endpoint)).toMatchObject([{ state: "paused" }]);
  expect(await queueOf(later)).toEqual([]);
});

function queueOf(endpointId: string) {
  return database.db.query<{ state: string; publicId: string; attempt: number }>({
    name: "queue-of-endpoint",
    text: `
      select q.state, d.public_id as "publicId", q.attempt
      from webhook_queue q
      join webhook_deliveries d on d.id = q.delivery_id
      where q.endpoint_id = $1
      order by d.id`,
    values: [endpointId],
  });
}
