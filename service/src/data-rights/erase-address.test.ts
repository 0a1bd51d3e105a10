import { randomBytes, randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aCandidate } from "../../test/a-candidate.ts";
import { writeEverywhere, writeInNames } from "../../test/address-everywhere.ts";
import { findHits } from "../../test/address-hits.ts";
import { auditRows } from "../../test/audit-rows.ts";
import { anAccount } from "../../test/builders.ts";
import { anEvent } from "../../test/event-builders.ts";
import { aReport, aSubmittedSend, permanentBounce } from "../../test/feedback-report-fixture.ts";
import {
  anAttachment,
  aQueuedSend,
  aSuppression,
  attemptOf,
  aVerifiedDomain,
  claimAgain,
  testContentKeys,
} from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createAcceptBatch } from "../accept/accept-batch.ts";
import { systemActor } from "../actor.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { erasedAddress } from "../erased-address.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import { markFailed, markSent } from "../queue/settle-sends.ts";
import { eraseAddress } from "./erase-address.ts";
import { readCounts } from "./erasure-store.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const aPerson = () => `jane.${randomBytes(4).toString("hex")}@example.test`;

function erase(address: string, options: Partial<Parameters<typeof eraseAddress>[1]> = {}) {
  const usual = { accountId: undefined, contentKeys: testContentKeys, actor: systemActor, waitSeconds: 0 };
  return eraseAddress(database.db, { address, ...usual, ...options });
}

test("afterwards no column of any table has the address, except the suppression list, and addresses that contain it stay", async () => {
  const { db } = database;
  const [jane, other] = [aPerson(), aPerson()];
  const longer = `x.${jane}`;
  const send = await aSubmittedSend(db, [other, jane.toUpperCase(), longer]);
  const { accountId } = send;
  await aSuppression(db, { accountId, email: jane });
  await change(
    db,
    `update sends
     set subject = 'Hello ' || $2, metadata = '{"user":"' || $2 || '"}', error_message = 'no ' || $2, reply_to = 'Jane <' || $2 || '>',
       suppressed_recipients = array[$2], idempotency_key = 'order-' || $2 || '-1'
     where id = $1`,
    [send.id, jane],
  );
  await applyFeedback(
    db,
    [
      aReport(send, {
        ...permanentBounce,
        recipients: [jane],
        replies: [{ status: "5.1.1", text: `550 <${jane}> unknown` }],
      }),
    ],
    Date.now(),
  );
  await writeEverywhere(db, { accountId, sendId: send.id, address: jane });
  const before = await findHits(db, jane);
  expect(Object.keys(before).length).toBeGreaterThan(30);

  const erasure = await erase(jane);
  expect(Object.keys(await findHits(db, jane)).toSorted()).toEqual(["sends.to_addresses", "suppressions.email"]);
  const [record] = await change(
    db,
    "select to_addresses, from_address, subject, metadata, reply_to from sends where id = $1",
    [send.id],
  );
  expect(record).toMatchObject({
    to_addresses: [other, erasedAddress, longer],
    subject: `Hello ${erasedAddress}`,
    metadata: `{"user":"${erasedAddress}"}`,
    reply_to: erasedAddress,
  });
  const counts = Object.fromEntries((await readCounts(db, erasure.id)).map(({ table, rows }) => [table, rows]));
  expect(counts).toMatchObject({
    sends: 1,
    events: 1,
    delivery_delays: 1,
    send_attempts: 1,
    audit_entries: 1,
    invitations: 1,
  });
  expect((await auditRows(db, accountId)).filter(({ action }) => action === "address.erase")).toHaveLength(1);
  await change(db, "delete from sends where id = $1", [send.id]);
});

test("in mail to other people, the names of sender and reply address lose it, and their own addresses stay", async () => {
  const { db } = database;
  const [jane, other] = [aPerson(), aPerson()];
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const attachments = [anAttachment(Buffer.from("a note"))];
  const id = await aQueuedSend(db, { accountId, fromDomain, to: [other], attachments });
  await markSent(db, [{ ...attemptOf(await claimAgain(db, id)), outcome: "accepted", providerMessageId: `m-${id}` }]);
  const read = () =>
    change(
      db,
      "select from_address, reply_to, to_addresses, metadata, written_domain(from_address) as domain from sends where id = $1",
      [id],
    );
  const [before] = await read();
  await writeInNames(db, { sendIds: [id], address: jane });
  expect(await findHits(db, jane)).toEqual({ "sends.from_address": 1, "sends.reply_to": 1, "sends.metadata": 1 });
  await erase(jane);
  expect(await findHits(db, jane)).toEqual({});
  expect(await read()).toEqual([
    {
      from_address: `"${erasedAddress} via Shop (for <${erasedAddress}>)" <${String(before?.from_address)}>`,
      reply_to: `"${erasedAddress}" <answers@shop.test>`,
      to_addresses: [other],
      metadata: `{"url":"https://shop.test/?next=%2Fuser%3Fof%3D${erasedAddress}"}`,
      domain: before?.domain,
    },
  ]);
});

test("content, attachments and search entries of the sends go with the address", async () => {
  const { db } = database;
  const jane = aPerson();
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const attachments = [anAttachment(Buffer.from("a note"))];
  const id = await aQueuedSend(db, { accountId, fromDomain, to: [jane], attachments });
  await markSent(db, [{ ...attemptOf(await claimAgain(db, id)), outcome: "accepted", providerMessageId: "m-1" }]);
  await change(db, "insert into kept_contents (id, sealed) values ($1, '')", [id]);
  const rest = `select (select count(*) from send_contents where id = $1) + (select count(*) from attachment_chunks where id = $1)
      + (select count(*) from kept_contents where id = $1) as stored, (select count(*) from send_searches where send_id = $1) as searches`;
  expect(await change(db, rest, [id])).toEqual([{ stored: 3, searches: 2 }]);
  await erase(jane, { accountId });
  // The other entry is that of the message id.
  expect(await change(db, rest, [id])).toEqual([{ stored: 0, searches: 1 }]);
});

test("content of a scheduled send in kept_contents no longer counts as stored", async () => {
  const { db } = database;
  const jane = aPerson();
  const { accountId, id } = await aSubmittedSend(db, [jane]);
  await change(db, "delete from send_contents where id = $1", [id]);
  await change(db, "insert into kept_contents (id, sealed, counted_from) values ($1, '\\x0102030405', now())", [id]);
  const bytes = "select coalesce(sum(content_bytes), 0)::integer as bytes from usage_deltas where account_id = $1";
  const [before] = await change(db, bytes, [accountId]);
  await erase(jane, { accountId });
  expect(await change(db, bytes, [accountId])).toEqual([{ bytes: Number(before?.bytes) - 5 }]);
});

test("with an account, other accounts keep the address", async () => {
  const { db } = database;
  const jane = aPerson();
  const [one, two] = [await aSubmittedSend(db, [jane]), await aSubmittedSend(db, [jane])];
  await anEvent(db, { accountId: two.accountId, sendId: two.id, recipient: jane });
  await erase(jane, { accountId: one.accountId });
  expect(await findHits(db, jane)).toEqual({ "sends.to_addresses": 1, "events.recipient": 1 });
  expect(await change(db, "select to_addresses from sends where id = $1", [two.id])).toEqual([
    { to_addresses: [jane] },
  ]);
});

test("later feedback does not write the address back, and still moves the send", async () => {
  const { db } = database;
  const [jane, other] = [aPerson(), aPerson()];
  const single = await aSubmittedSend(db, [jane]);
  const several = await aSubmittedSend(db, [other, jane]);
  await erase(jane);
  const replies = [{ status: "5.1.1", text: `550 <${jane}> unknown` }];
  const reports = [single, several].flatMap((send) => [
    aReport(send, { kind: "delay", recipients: [jane], replies }),
    aReport(send, { kind: "delivery", recipients: [jane], replies, durationMs: 10 }),
    aReport(send, { ...permanentBounce, recipients: [jane], replies }),
    aReport(send, { kind: "delivery", recipients: [other], replies, durationMs: 10 }),
  ]);
  await applyFeedback(db, [...reports, ...reports], Date.now());
  expect(await findHits(db, jane)).toEqual({});
  for (const { id } of [single, several]) expect(await sendRow(db, id)).toMatchObject({ status: "bounced" });
  const [stored] = await change(
    db,
    `select array_agg(distinct recipient) as recipients, (select outcomes from sends where id = $1) as outcomes
     from events where send_id = $1`,
    [several.id],
  );
  expect(stored).toEqual({ recipients: [erasedAddress, other].toSorted(), outcomes: [2, 3] });
  expect(await change(db, "select from suppressions where email = $1", [erasedAddress])).toEqual([]);
});

test("queued mail to the address is cancelled; mail that a worker has is awaited, and the command continues later", async () => {
  const { db } = database;
  const jane = aPerson();
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const leased = await aQueuedSend(db, { accountId, fromDomain, to: [jane] });
  const claimed = await claimAgain(db, leased);
  const ready = await aQueuedSend(db, { accountId, fromDomain, to: [jane] });
  await expect(erase(jane)).rejects.toThrow(
    "A worker is submitting 1 send to this address, or the outcome is in doubt.",
  );
  expect(await sendRow(db, ready)).toMatchObject({ status: "failed", errorCode: "CANCELLED" });
  expect(await queueRow(db, leased)).toMatchObject({ state: "leased", recipients: [jane] });
  expect(await findHits(db, jane)).toMatchObject({ "send_queue.recipients": 1 });

  await markFailed(db, [
    {
      ...attemptOf(claimed),
      outcome: "refused",
      code: "PROVIDER_REJECTED",
      message: `not ${jane}`,
      detail: `not ${jane}`,
    },
  ]);
  expect(await erase(jane)).toMatchObject({ isContinued: true });
  expect(await findHits(db, jane)).toEqual({});
});

test("a send to a suppressed address is still suppressed", async () => {
  const { db } = database;
  const jane = aPerson();
  const accountId = await anAccount(db);
  const domain = await aVerifiedDomain(db, accountId);
  await aSuppression(db, { accountId, email: jane });
  await erase(jane);
  const decide = createAcceptBatch(db, await openDatabaseClock(db));
  const id = randomUUIDv7();
  await decide(aCandidate({ id, accountId, domain, recipients: [jane] }));
  expect(await sendRow(db, id)).toMatchObject({ status: "suppressed" });
});

test("a send that is deleted or queued again while its page is erased is not awaited for ever, and the others count once", async () => {
  const { db } = database;
  const jane = aPerson();
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const [kept, dropped, queued] = [
    await aSubmittedSend(db, [jane]),
    await aSubmittedSend(db, [jane]),
    await aQueuedSend(db, { accountId, fromDomain, to: [jane] }),
  ];
  const accepted = {
    ...attemptOf(await claimAgain(db, queued)),
    outcome: "accepted",
    providerMessageId: `m-${queued}`,
  } as const;
  await markSent(db, [accepted]);
  const pages: string[][] = [];
  const meanwhile: typeof db = {
    ...db,
    query: async (statement) => {
      if (statement.name === "erase-sends") {
        pages.push(statement.values?.[3] as string[]);
        if (pages.length === 1) {
          await change(db, "delete from sends where id = $1", [dropped.id]);
          await queueAgain(queued);
        }
        if (pages.length > 3) throw new Error("the page is erased again and again");
      }
      return db.query(statement);
    },
  };
  const erasure = await eraseAddress(meanwhile, {
    address: jane,
    accountId: undefined,
    contentKeys: testContentKeys,
    actor: systemActor,
    waitSeconds: 10,
  });
  expect(pages).toEqual([[kept.id, dropped.id, queued].toSorted(), [queued]]);
  expect(await findHits(db, jane)).toEqual({});
  expect(await readCounts(db, erasure.id)).toContainEqual({ table: "sends", rows: 2 });
  expect(await sendRow(db, queued)).toMatchObject({ status: "failed", errorCode: "CANCELLED" });
});

test("a run that was interrupted at any step continues there, and counts each row once", async () => {
  const { db } = database;
  const jane = aPerson();
  const send = await aSubmittedSend(db, [jane]);
  await anEvent(db, { accountId: send.accountId, sendId: send.id, recipient: jane });
  await writeEverywhere(db, { accountId: send.accountId, sendId: send.id, address: jane });
  const steps = ["sends", "events", "send_attempts", "removed_suppressions", "notifications", "audit_entries"];
  for (const at of steps) {
    const onProgress = (step: string) => {
      if (step === at) throw new Error("interrupted");
    };
    await expect(erase(jane, { onProgress })).rejects.toThrow("interrupted");
  }
  const { id, isContinued } = await erase(jane);
  expect(isContinued).toBe(true);
  expect(await findHits(db, jane)).toEqual({});
  const counts = Object.fromEntries((await readCounts(db, id)).map(({ table, rows }) => [table, rows]));
  expect(counts).toMatchObject({
    sends: 1,
    events: 1,
    send_attempts: 1,
    removed_suppressions: 2,
    notifications: 1,
    audit_entries: 1,
  });
  expect(await erase(jane)).toMatchObject({ isContinued: false });
});

/** As the operator's retry does. */
async function queueAgain(id: string): Promise<void> {
  await change(
    database.db,
    `with again as (
       update sends
       set status = 'queued', sent_at = null
       where id = $1
       returning id, account_id, mode, to_addresses
     )
     insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
     select id, account_id, mode, now(), 'shop.test', to_addresses
     from again`,
    [id],
  );
}
