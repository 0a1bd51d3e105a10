import { randomUUIDv7 } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { claimedIds } from "../../test/failover-fixture.ts";
import { aFrozenMove, aHeldMove, aMove, queuesOf, suspendedAt } from "../../test/move-fixture.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aClaimedSend, aQueuedSend, attemptOf } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aDelivery, aReplay, aWebhook } from "../../test/webhook-builders.ts";
import { queueDueSends } from "../accept/queue-scheduled.ts";
import type { Database } from "../db/database.ts";
import { readQueuedRecipients } from "../queue/queued-recipients.ts";
import { markInDoubt } from "../queue/settle-sends.ts";
import { freeze, takeLateRows } from "./freeze.ts";
import { findWhatIsOnItsWay } from "./on-its-way.ts";
import { endHold, findOutgoingMove, holdForMove } from "./outgoing-move.ts";
import { putBack } from "./put-back.ts";
import { markReleased } from "./released-move.ts";

const database = useTestDatabase();
useEmptyQueue(database);
beforeEach(() => change(database.db, "delete from webhook_queue"));

const emptyQueues = { sends: [], scheduled: [], webhooks: [] };

/** Mail in every state that does not keep an account from moving, with a quota that counts it. */
async function anAccountWithMail(db: Database) {
  const accountId = await anAccount(db);
  const queued = { accountId, fairInSeconds: 3_600 };
  const [ready, waiting, parked] = [
    await aQueuedSend(db, queued),
    await aQueuedSend(db, queued),
    await aQueuedSend(db, queued),
  ];
  const testMail = await aQueuedSend(db, { ...queued, mode: "test" });
  await change(
    db,
    `update send_queue
     set state = 'waiting', due_at = now() + interval '1 hour', attempt = 3, attempted_at = now(), backoff_step = 2,
       retrying_since = now() - interval '10 min'
     where id = $1`,
    [waiting],
  );
  await change(
    db,
    `update send_queue
     set state = 'parked', due_at = now() - interval '1 hour', retrying_since = now() - interval '70 min', attempt = 1
     where id = $1`,
    [parked],
  );
  await change(
    db,
    "update send_queue set counted_recipients = 1, tags = '{a,b}', expires_at = now() + interval '1 day' where account_id = $1",
    [accountId],
  );
  await change(
    db,
    "insert into queued_recipient_changes (account_id, mode, difference) values ($1, 'live', 4), ($1, 'test', 1)",
    [accountId],
  );
  const scheduled = await aScheduledSend(db, { accountId, dueInSeconds: 3_600 });
  const endpointId = await aWebhook(db, { accountId });
  const pending = await aDelivery(db, { accountId, endpointId, state: "pending", attempts: 2 });
  const paused = await aDelivery(db, { accountId, endpointId, state: "paused" });
  return { accountId, ready, waiting, parked, testMail, scheduled, endpointId, pending, paused };
}

const counted = async (accountId: string) =>
  readQueuedRecipients(database.db, [
    { accountId, mode: "live" },
    { accountId, mode: "test" },
  ]);

const takenKinds = async (accountId: string) =>
  (
    await change(database.db, "select kind, count(*) from moved_rows where account_id = $1 group by 1 order by 1", [
      accountId,
    ])
  ).map(({ kind, count }) => [kind, count]);

describe("freeze", () => {
  test("one commit takes the rows of every queue, and of no other account", async () => {
    const { db } = database;
    const { accountId } = await anAccountWithMail(db);
    const other = await anAccountWithMail(db);
    const theirs = await queuesOf(db, other.accountId);
    expect(await counted(accountId)).toEqual([4, 1]);
    const move = await aHeldMove(db, accountId);
    expect(await freeze(db, move)).toMatchObject({ isFrozen: true });
    expect(await queuesOf(db, accountId)).toEqual(emptyQueues);
    expect(await takenKinds(accountId)).toEqual([
      ["scheduled_sends", 1],
      ["send_queue", 4],
      ["webhook_queue", 2],
    ]);
    expect(await counted(accountId)).toEqual([0, 0]);
    expect(await queuesOf(db, other.accountId)).toEqual(theirs);
    expect(await findOutgoingMove(db, accountId)).toMatchObject({ state: "frozen", heldAt: move.heldAt });
    await expect(freeze(db, move)).rejects.toThrow("The move is frozen.");
  });

  test("a send that is leased or in doubt, and a webhook that is delivered, are in the way", async () => {
    const { db } = database;
    const [leased, doubtful, delivering] = [await anAccount(db), await anAccount(db), await anAccount(db)];
    await aClaimedSend(db, { accountId: leased });
    const inDoubt = await aClaimedSend(db, { accountId: doubtful });
    await markInDoubt(db, [{ ...attemptOf(inDoubt), outcome: "unknown" }]);
    const endpointId = await aWebhook(db, { accountId: delivering });
    await aDelivery(db, { accountId: delivering, endpointId, state: "delivering" });
    for (const [accountId, onItsWay, reason] of [
      [leased, { leased: 1, inDoubt: 0, delivering: 0 }, "submitting sends of the account: 1"],
      [doubtful, { leased: 0, inDoubt: 1, delivering: 0 }, "is in doubt: 1"],
      [delivering, { leased: 0, inDoubt: 0, delivering: 1 }, "delivering webhooks of the account: 1"],
    ] as const) {
      const queues = await queuesOf(db, accountId);
      const move = await aHeldMove(db, accountId);
      expect(await findWhatIsOnItsWay(db, accountId)).toEqual(onItsWay);
      expect(await freeze(db, move)).toEqual({ isFrozen: false, onItsWay, reasons: [expect.stringContaining(reason)] });
      expect(await queuesOf(db, accountId)).toEqual(queues);
      expect(await findOutgoingMove(db, accountId)).toMatchObject({ state: "held" });
    }
  });

  test("an unknown server run, a sweep after a failover, and a replay that began since are in the way", async () => {
    const { db } = database;
    const move = await aHeldMove(db);
    for (const run of ["1.5/5", ""]) {
      await change(db, "update provider_state set server_run = $1 where mode = 'live'", [run]);
      expect(await freeze(db, move)).toMatchObject({ isFrozen: false, reasons: [expect.stringContaining("failover")] });
    }
    await change(db, "update provider_state set server_run = server_run() where mode = 'live'");
    await aReplay(db, { accountId: move.accountId, endpointId: await aWebhook(db, move) });
    expect(await freeze(db, move)).toMatchObject({ isFrozen: false, reasons: [expect.stringContaining("replay")] });
    await change(db, "update webhook_replays set state = 'done', finished_at = now() where account_id = $1", [
      move.accountId,
    ]);
    expect(await freeze(db, move)).toMatchObject({ isFrozen: true });
  });

  test("another schema than that of this code is in the way", async () => {
    const move = await aHeldMove(database.db);
    await change(database.db, "update schema_range set oldest_code = oldest_code + 1000");
    expect(await freeze(database.db, move)).toMatchObject({
      isFrozen: false,
      reasons: [expect.stringContaining("schema")],
    });
    await change(database.db, "update schema_range set oldest_code = oldest_code - 1000");
  });

  test("a run whose hold has ended freezes nothing", async () => {
    const earlier = await aHeldMove(database.db);
    await endHold(database.db, earlier);
    await expect(freeze(database.db, earlier)).rejects.toThrow("The move is copying.");
    await aHeldMove(database.db, earlier.accountId);
    await expect(freeze(database.db, earlier)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(freeze(database.db, { ...earlier, moveId: randomUUIDv7() })).rejects.toThrow("has ended");
  });
});

describe("late rows", () => {
  test("a row from a transaction that began before the freeze and ended after it is taken, once", async () => {
    const { db } = database;
    const move = await aHeldMove(db);
    await db.withTransaction(async (tx) => {
      await tx.query({
        name: "a-late-row",
        text: `insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
          values (new_id_at(now()), $1, 'live', now(), 'shop.test', '{jane@example.test}')`,
        values: [move.accountId],
      });
      expect(await freeze(db, move)).toMatchObject({ isFrozen: true });
    });
    expect((await queuesOf(db, move.accountId)).sends).toHaveLength(1);
    expect(await takeLateRows(db, move)).toBe(1);
    expect(await takeLateRows(db, move)).toBe(0);
    expect(await takenKinds(move.accountId)).toEqual([["send_queue", 1]]);
  });

  test("mail that becomes due during the freeze is taken, from one queue or the other", async () => {
    const { db } = database;
    const move = await aMove(db);
    const due = await aScheduledSend(db, { accountId: move.accountId, dueInSeconds: -1 });
    const freezing = await db.withTransaction(async (tx) => {
      await queueDueSends({ query: (statement) => tx.query(statement) }, "live");
      const { heldAt } = await holdForMove(db, move);
      return { frozen: freeze(db, { ...move, heldAt }) };
    });
    expect(await freezing.frozen).toMatchObject({ isFrozen: true });
    await takeLateRows(db, move);
    expect(await queuesOf(db, move.accountId)).toEqual(emptyQueues);
    const taken = await change(db, "select kind, id from moved_rows where account_id = $1", [move.accountId]);
    expect(taken).toEqual([{ kind: "send_queue", id: due }]);
  });

  test("a run takes nothing any more when the move is not frozen", async () => {
    const move = await aFrozenMove(database.db);
    await putBack(database.db, move);
    await expect(takeLateRows(database.db, move)).rejects.toThrow("The move is copying.");
  });
});

describe("put back", () => {
  test("every row returns with its values and is counted again, and ready mail is parked until workers queue it", async () => {
    const { db } = database;
    const mail = await anAccountWithMail(db);
    const { accountId } = mail;
    const before = await queuesOf(db, accountId);
    const move = await aFrozenMove(db, accountId);
    const { frozenAt } = (await findOutgoingMove(db, accountId)) ?? {};
    await putBack(db, move);
    const after = await queuesOf(db, accountId);
    expect({ ...after, sends: [] }).toEqual({ ...before, sends: [] });
    const rowOf = (rows: typeof after, id: string) => rows.sends?.find((row) => row.id === id);
    for (const id of [mail.ready, mail.testMail])
      expect(rowOf(after, id)).toEqual({ ...rowOf(before, id), state: "parked", due_at: expect.any(String) });
    expect(new Date(String(rowOf(after, mail.ready)?.due_at)).toISOString()).toBe(frozenAt);
    expect(rowOf(after, mail.parked)).toEqual(rowOf(before, mail.parked));
    expect(rowOf(after, mail.waiting)).toEqual({ ...rowOf(before, mail.waiting), retrying_since: expect.any(String) });
    expect(await counted(accountId)).toEqual([4, 1]);
    expect(await takenKinds(accountId)).toEqual([]);
    expect(await suspendedAt(db, accountId)).toBeNull();
    expect(await findOutgoingMove(db, accountId)).toMatchObject({ state: "copying", heldAt: null, frozenAt: null });
    await putBack(db, move);
  });

  test("an interrupted run is continued, and the account is suspended until the last row is back", async () => {
    const { db } = database;
    const accountId = await anAccount(db);
    await change(
      db,
      `insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients, counted_recipients)
       select new_id_at(now()), $1, 'live', now(), 'shop.test', '{jane@example.test}', 1 from generate_series(1, 5000)`,
      [accountId],
    );
    const move = await aFrozenMove(db, accountId);
    let steps = 0;
    const dying: Database = {
      ...db,
      withTransaction: (work) => {
        if (++steps > 3) throw new Error("the process died");
        return db.withTransaction(work);
      },
    };
    await expect(putBack(dying, move)).rejects.toThrow("died");
    expect(await takenKinds(accountId)).toEqual([["send_queue", 2_000]]);
    expect(await suspendedAt(db, accountId)).not.toBeNull();
    expect(await claimedIds(db, "live")).toEqual([]);
    await putBack(db, move);
    expect((await queuesOf(db, accountId)).sends).toHaveLength(5_000);
    // The rows were never added to the count: it is as before.
    expect(await counted(accountId)).toEqual([0, 0]);
    expect(await suspendedAt(db, accountId)).toBeNull();
  });

  test("a released move is never put back", async () => {
    const move = await aFrozenMove(database.db);
    await markReleased(database.db, move);
    await expect(putBack(database.db, move)).rejects.toThrow("The move is released.");
  });
});

describe("released", () => {
  test("the taken rows are deleted, the account stays suspended, and a repetition changes nothing", async () => {
    const { db } = database;
    const { accountId } = await anAccountWithMail(db);
    const move = await aFrozenMove(db, accountId);
    await markReleased(db, move);
    const released = await findOutgoingMove(db, accountId);
    expect(released).toMatchObject({ state: "released", releasedAt: expect.any(String) });
    expect(await takenKinds(accountId)).toEqual([]);
    expect(await suspendedAt(db, accountId)).toBe(move.heldAt);
    await markReleased(db, move);
    expect(await findOutgoingMove(db, accountId)).toEqual(released);
    await expect(markReleased(db, { accountId, moveId: randomUUIDv7() })).rejects.toThrow("has ended");
  });

  test("the target decides: rows that are in the queue again go, whatever this cell believed", async () => {
    const { db } = database;
    const { accountId } = await anAccountWithMail(db);
    await aClaimedSend(db, { accountId });
    const { heldAt: _, ...move } = await aHeldMove(db, accountId);
    await markReleased(db, move);
    expect(await queuesOf(db, accountId)).toEqual(emptyQueues);
    expect(await takenKinds(accountId)).toEqual([]);
    expect(await counted(accountId)).toEqual([0, 0]);
  });
});
