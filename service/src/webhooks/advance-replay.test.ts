import { expect, test } from "vitest";
import { aReport, aSubmittedSend, permanentBounce } from "../../test/feedback-report-fixture.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { anEndpoint } from "../../test/webhook-builders.ts";
import { claimUpTo } from "../../test/webhook-fixture.ts";
import type { Database } from "../db/database.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import { advanceReplay } from "./advance-replay.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { fanOut } from "./fan-out.ts";
import { getReplay, listReplays } from "./list-replays.ts";
import type { NotificationType } from "./notification-types.ts";
import { deleteOldReplays } from "./old-replays.ts";
import { startReplay } from "./start-replay.ts";
import { sendTestNotification } from "./test-notification.ts";

const database = useTestDatabase();
const modes = ["live", "test"] as const;
const outcomes = ["send.delivered", "send.bounced", "send.complained", "send.suppressed"] as const;

test("stored notifications are replayed byte for byte under the same id, also to an endpoint that is younger than they are", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 3, { hasEndpoint: true });
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  const replayId = await startedReplay(db, { accountId, endpointId });
  await finishReplays(db);
  const replayed = await replayedTo(db, endpointId);
  const first = (await originals(db, accountId)).filter(({ type }) => type === "send.delivered");
  expect(replayed.map(bodyOf).toSorted()).toEqual(first.map(bodyOf).toSorted());
  expect(first).toHaveLength(3);
  expect(replayed.every(({ priority }) => priority === 1)).toBe(true);
  expect(await getReplay(db.forAccount(accountId), endpointId, replayId)).toMatchObject({
    state: "done",
    progress: 1,
    deliveries: 3,
    finishedAt: expect.any(String),
  });
});

test("an event without a stored notification is rebuilt under its own id, marked and without a sequence, with the same bytes in each replay", async () => {
  const { db } = database;
  const { accountId, send } = await deliveredSend(db, 1);
  await applyFeedback(
    db,
    [aReport(send, { ...permanentBounce, recipients: ["r0@x.test"], feedbackId: "f" })],
    Date.now(),
  );
  const events = await change(db, "select id, event_type from events where account_id = $1 order by id", [accountId]);
  expect(events).toHaveLength(2);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  for (let time = 0; time < 2; time++) {
    await startedReplay(db, { accountId, endpointId });
    await finishReplays(db);
  }
  const replayed = await replayedTo(db, endpointId);
  expect(replayed).toHaveLength(4);
  expect(new Set(replayed.map(bodyOf)).size).toBe(2);
  expect(new Set(replayed.map(({ publicId }) => publicId))).toEqual(new Set(events.map(({ id }) => id)));
  const bounce = replayed.find(({ type }) => type === "send.bounced");
  const { data } = JSON.parse(bounce?.envelope ?? "");
  expect(data).toMatchObject({
    rebuilt: true,
    recipient: "r0@x.test",
    send: { id: send.id, status: "bounced" },
    bounce: { type: "Permanent", subtype: "NoEmail" },
  });
  expect(data).not.toHaveProperty("sequence");
});

test("a rebuilt notification differs from its original in the sequence and the mark only", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 1, { hasEndpoint: true });
  const [original] = (await originals(db, accountId)).filter(({ type }) => type === "send.delivered");
  await change(db, "delete from notifications where account_id = $1", [accountId]);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  await startedReplay(db, { accountId, endpointId });
  await finishReplays(db);
  const [rebuilt] = await replayedTo(db, endpointId);
  expect(rebuilt?.publicId).toBe(original?.publicId);
  const { sequence, ...data } = JSON.parse(original?.envelope ?? "").data;
  expect(sequence).toBeGreaterThan(0);
  expect(JSON.parse(rebuilt?.envelope ?? "")).toEqual({
    ...JSON.parse(original?.envelope ?? ""),
    data: { ...data, rebuilt: true },
  });
});

test("where some are stored and some not, each is replayed once: the stored one wins", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 6, { hasEndpoint: true });
  const delivered = (await originals(db, accountId)).filter(({ type }) => type === "send.delivered");
  const lost = delivered.slice(0, 2).map(({ publicId }) => publicId);
  await change(db, "delete from notifications where public_id = any ($1)", [lost]);
  const endpointId = await anEndpoint(db, { accountId });
  await startedReplay(db, { accountId, endpointId });
  await finishReplays(db, 2);
  const replayed = await replayedTo(db, endpointId);
  const ids = replayed.filter(({ type }) => type === "send.delivered").map(({ publicId }) => publicId);
  expect(ids.toSorted()).toEqual(delivered.map(({ publicId }) => publicId).toSorted());
  const rebuilt = replayed.filter(({ envelope }) => envelope.includes('"rebuilt":true'));
  expect(rebuilt.map(({ publicId }) => publicId).toSorted()).toEqual(lost.toSorted());
  // What is no event of a recipient is replayed as well.
  expect(replayed.filter(({ type }) => type === "send.sent")).toHaveLength(1);
});

test("a step that dies before its commit is repeated whole: nothing is lost and nothing is sent twice", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 7);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  const replayId = await startedReplay(db, { accountId, endpointId });
  for (let step = 0; step < 20; step++) {
    await expect(advanceReplay(dyingAtCommit(db), 2)).rejects.toThrow("killed");
    if ((await advanceReplay(db, 2)) === undefined) break;
  }
  const replayed = await replayedTo(db, endpointId);
  expect(replayed).toHaveLength(7);
  expect(new Set(replayed.map(({ publicId }) => publicId)).size).toBe(7);
  expect(await getReplay(db.forAccount(accountId), endpointId, replayId)).toMatchObject({
    state: "done",
    deliveries: 7,
  });
});

test("workers that step at the same time add each delivery once", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 9);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  await startedReplay(db, { accountId, endpointId });
  for (let round = 0; round < 12; round++) await Promise.all([1, 2, 3, 4].map(() => advanceReplay(db, 2)));
  const ids = (await replayedTo(db, endpointId)).map(({ publicId }) => publicId);
  expect(ids).toHaveLength(9);
  expect(new Set(ids).size).toBe(9);
});

test("examples, other types and what happened outside of the range are left out", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 2, { hasEndpoint: true });
  const endpointId = await anEndpoint(db, { accountId, types: ["send.bounced"] });
  await sendTestNotification(db.forAccount(accountId), { modes, endpointId }, "send.bounced");
  await change(db, "delete from webhook_queue where account_id = $1", [accountId]);
  await startedReplay(db, { accountId, endpointId });
  await finishReplays(db);
  await change(db, "update webhook_endpoints set types = '{send.delivered}' where id = $1", [endpointId]);
  await startedReplay(db, { accountId, endpointId, hours: [-5, -2] });
  await finishReplays(db);
  expect(await replayedTo(db, endpointId)).toEqual([]);
});

test("a replay waits while 500 of its deliveries are pending, and while its endpoint is disabled", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 1);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  await startedReplay(db, { accountId, endpointId });
  await change(
    db,
    `insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, priority)
    select gen_random_uuid(), $1, $2, gen_random_uuid(), 1 from generate_series(1, 501)`,
    [accountId, endpointId],
  );
  expect(await advanceReplay(db)).toMatchObject({ state: "running", deliveries: 0 });
  expect(await advanceReplay(db)).toBeUndefined();
  await change(db, "delete from webhook_queue where endpoint_id = $1", [endpointId]);
  await change(db, "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1", [
    endpointId,
  ]);
  await dueNow(db, endpointId);
  expect(await advanceReplay(db)).toMatchObject({ state: "running", deliveries: 0 });
  await change(db, "update webhook_endpoints set disabled_at = null, disabled_reason = null where id = $1", [
    endpointId,
  ]);
  await dueNow(db, endpointId);
  expect(await advanceReplay(db)).toMatchObject({ state: "running", deliveries: 1 });
  await finishReplays(db);
});

test("a replay waits for a notification whose envelope is not written yet", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 2, { hasEndpoint: true });
  const [, second] = await change(
    db,
    "select id, envelope from notifications where account_id = $1 and type = 'send.delivered' order by public_id",
    [accountId],
  );
  await change(db, "update notifications set envelope = null where id = $1", [second?.id]);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  await startedReplay(db, { accountId, endpointId });
  expect(await advanceReplay(db)).toMatchObject({ state: "running", deliveries: 1 });
  await change(db, "update notifications set envelope = $2 where id = $1", [second?.id, second?.envelope]);
  await dueNow(db, endpointId);
  await finishReplays(db);
  expect(await replayedTo(db, endpointId)).toHaveLength(2);
});

test("the deletion of the endpoint cancels the replay", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 1);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  await startedReplay(db, { accountId, endpointId });
  await deleteEndpoint(db.forAccount(accountId), modes, endpointId);
  expect(await advanceReplay(db)).toMatchObject({ state: "cancelled" });
  expect(await advanceReplay(db)).toBeUndefined();
});

test("replays that ended are deleted after 30 days, and running ones never", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 1);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  const old = await startedReplay(db, { accountId, endpointId });
  await finishReplays(db);
  const ended = await startedReplay(db, { accountId, endpointId });
  await finishReplays(db);
  const running = await startedReplay(db, { accountId, endpointId });
  await change(db, "update webhook_replays set finished_at = now() - interval '31 days' where id = $1", [old]);
  await change(db, "update webhook_replays set created_at = now() - interval '31 days' where id = $1", [running]);
  expect(await deleteOldReplays(db, 10)).toBe(1);
  const left = await listReplays(db.forAccount(accountId), endpointId);
  expect(left.map(({ id }) => id)).toEqual([running, ended]);
  await finishReplays(db);
});

test("a replay takes half of what an endpoint may have in flight, and only what live notifications leave", async () => {
  const { db } = database;
  const { accountId } = await deliveredSend(db, 6);
  const endpointId = await anEndpoint(db, { accountId, types: outcomes });
  await startedReplay(db, { accountId, endpointId });
  await finishReplays(db);
  await change(db, "delete from webhook_queue where endpoint_id <> $1", [endpointId]);
  expect(await claimUpTo(db, 100)).toHaveLength(2);
  expect(await claimUpTo(db, 100)).toHaveLength(0);
  await change(
    db,
    "update webhook_queue set state = 'pending', due_at = now() - interval '1 hour' where endpoint_id = $1",
    [endpointId],
  );
  for (let live = 0; live < 3; live++) {
    await sendTestNotification(db.forAccount(accountId), { modes, endpointId }, "send.bounced");
  }
  const claimed = await claimUpTo(db, 100);
  const priorities = await change(
    db,
    "select priority from webhook_queue where endpoint_id = $1 and state = 'delivering' order by priority",
    [endpointId],
  );
  expect(claimed).toHaveLength(4);
  expect(priorities.map(({ priority }) => priority)).toEqual([0, 0, 0, 1]);
});

/** A send that was delivered to this many recipients an hour ago. */
async function deliveredSend(db: Database, recipients: number, { hasEndpoint = false } = {}) {
  const to = Array.from({ length: recipients }, (_, number) => `r${number}@x.test`);
  const send = await aSubmittedSend(db, to, { isSent: false });
  if (hasEndpoint) await anEndpoint(db, { accountId: send.accountId });
  await applyFeedback(db, [aReport(send, { kind: "send" })], Date.now());
  for (const recipient of to) {
    await applyFeedback(db, [aReport(send, { kind: "delivery", recipients: [recipient] })], Date.now());
  }
  while ((await fanOut(db, 100)).taken > 0);
  await change(db, "delete from webhook_queue where account_id = $1", [send.accountId]);
  return { accountId: send.accountId, send };
}

interface ReplayOptions {
  accountId: string;
  endpointId: string;
  hours?: [from: number, to: number];
}

/** Started for a range that ends now, without the wait for transactions that have not ended. */
async function startedReplay(db: Database, { accountId, endpointId, hours = [-2, 1] }: ReplayOptions): Promise<string> {
  const [from, to] = hours.map((each) => new Date(Date.now() + each * 3_600_000).toISOString());
  const range = { from: from ?? "", to: to ?? "" };
  // The range ends at `now()`, and ids have whole milliseconds.
  await change(db, "select pg_sleep(0.005)");
  const { id } = await startReplay(db.forAccount(accountId), { modes, endpointId }, range);
  await dueNow(db, endpointId);
  return id;
}

async function dueNow(db: Database, endpointId: string): Promise<void> {
  await change(db, "update webhook_replays set due_at = now() where endpoint_id = $1", [endpointId]);
}

async function finishReplays(db: Database, limit?: number): Promise<void> {
  while ((await advanceReplay(db, limit)) !== undefined);
}

/** A worker that dies when it wants to commit. */
function dyingAtCommit(db: Database): Database {
  return {
    ...db,
    withTransaction: (work) =>
      db.withTransaction(async (tx) => {
        await work(tx);
        throw new Error("killed");
      }),
  };
}

interface Sent {
  publicId: string;
  type: NotificationType;
  envelope: string;
  priority: number;
}

const bodyOf = ({ publicId, envelope }: Sent) => `${publicId} ${envelope}`;

async function replayedTo(db: Database, endpointId: string): Promise<Sent[]> {
  return db.query<Sent>({
    name: "replayed-to",
    text: `
      select d.public_id as "publicId", d.type, n.envelope, q.priority
      from webhook_deliveries d
      join notifications n on n.id = d.notification_id and n.public_id = d.public_id
      left join webhook_queue q on q.delivery_id = d.id
      where d.endpoint_id = $1 and d.is_replay
      order by q.due_at`,
    values: [endpointId],
  });
}

async function originals(db: Database, accountId: string): Promise<Sent[]> {
  return db.query<Sent>({
    name: "original-notifications",
    text: `
      select public_id as "publicId", type, envelope, 0 as priority
      from notifications
      where account_id = $1 and not is_rebuilt
      order by id`,
    values: [accountId],
  });
}
