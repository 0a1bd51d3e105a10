import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aWatch, claimedIds, failOverFrom, otherSystem } from "../../test/failover-fixture.ts";
import { aFrozenMove, aHeldMove, aMove, queuesOf, suspendedAt } from "../../test/move-fixture.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { declareFailover } from "../in-doubt/failover-store.ts";
import { inspectSend } from "../sends/inspect-send.ts";
import { endHold, findOutgoingMove } from "./outgoing-move.ts";
import { putBack } from "./put-back.ts";
import { markReleased } from "./released-move.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const stateOf = async (accountId: string) => (await findOutgoingMove(database.db, accountId))?.state;

test("a failover makes every move unknown that is not released, and suspends its account", async () => {
  const { db } = database;
  const { watch } = aWatch(db);
  await watch.check();
  const [copying, held, frozen, released] = [
    await aMove(db),
    await aHeldMove(db),
    await aFrozenMove(db),
    await aFrozenMove(db),
  ];
  await markReleased(db, released);
  const free = await anAccount(db);
  await failOverFrom(db, otherSystem);
  await watch.check();
  for (const { accountId } of [copying, held, frozen]) {
    const move = await findOutgoingMove(db, accountId);
    expect(move).toMatchObject({ state: "unknown" });
    expect(await suspendedAt(db, accountId)).toBe(move?.heldAt);
  }
  expect(await suspendedAt(db, held.accountId)).toBe(held.heldAt);
  expect(await stateOf(released.accountId)).toBe("released");
  expect(await suspendedAt(db, free)).toBeNull();
  expect(await endHold(db, held)).toBe(false);
});

test("a failover that the operator declares does the same, and one that nothing shows does not", async () => {
  const { db } = database;
  await aWatch(db).watch.check();
  const { accountId } = await aMove(db);
  expect(await declareFailover(db, "operator", "-infinity")).toBeUndefined();
  expect(await stateOf(accountId)).toBe("copying");
  expect(await declareFailover(db, "operator", "infinity")).toBeDefined();
  expect(await stateOf(accountId)).toBe("unknown");
});

test("never released in the target: the account works again, and its live mail of the freeze is in doubt like all other", async () => {
  const { db } = database;
  const { watch } = aWatch(db);
  await watch.check();
  const accountId = await anAccount(db);
  const [live, testMail] = [await aQueuedSend(db, { accountId }), await aQueuedSend(db, { accountId, mode: "test" })];
  const [due, later] = [
    await aScheduledSend(db, { accountId, dueInSeconds: -1 }),
    await aScheduledSend(db, { accountId, dueInSeconds: 3_600 }),
  ];
  const move = await aFrozenMove(db, accountId);
  await failOverFrom(db, otherSystem);
  await watch.check();
  await putBack(db, move);
  expect(await findOutgoingMove(db, accountId)).toMatchObject({ state: "copying", heldAt: null, frozenAt: null });
  expect(await suspendedAt(db, accountId)).toBeNull();
  for (const id of [live, due]) {
    expect(await queueRow(db, id)).toMatchObject({ state: "in-doubt", attempt: 1_000 });
    expect(await attemptsOf(db, id)).toEqual(["1000 unknown"]);
    expect(await inspectSend(db, id)).toMatchObject({ hasContent: true });
  }
  expect(await queueRow(db, testMail)).toMatchObject({ state: "parked", attempt: 0 });
  expect((await queuesOf(db, accountId)).scheduled).toMatchObject([{ id: later }]);
  expect(await change(db, "select from moved_rows where account_id = $1", [accountId])).toEqual([]);
  await putBack(db, move);
});

test("a freeze that the failover undid: the rows are in the queue, in doubt by the sweep, and the account works again", async () => {
  const { db } = database;
  const { watch } = aWatch(db);
  await watch.check();
  const accountId = await anAccount(db);
  const live = await aQueuedSend(db, { accountId });
  const move = await aHeldMove(db, accountId);
  await failOverFrom(db, otherSystem);
  await watch.check();
  await putBack(db, move);
  expect(await queueRow(db, live)).toMatchObject({ state: "in-doubt", attempt: 1_000 });
  expect(await suspendedAt(db, accountId)).toBeNull();
});

test.for([["frozen", aFrozenMove] as const, ["held", aHeldMove] as const, ["copying", aMove] as const])(
  "released in the target: a move that the failover left %s is released, and nothing of its mail is left here",
  async ([, begin]) => {
    const { db } = database;
    const { watch } = aWatch(db);
    await watch.check();
    const accountId = await anAccount(db);
    await aQueuedSend(db, { accountId });
    await aScheduledSend(db, { accountId, dueInSeconds: 3_600 });
    const move = await begin(db, accountId);
    await failOverFrom(db, otherSystem);
    await watch.check();
    await markReleased(db, move);
    expect(await stateOf(accountId)).toBe("released");
    expect(await suspendedAt(db, accountId)).not.toBeNull();
    expect(await queuesOf(db, accountId)).toEqual({ sends: [], scheduled: [], webhooks: [] });
    expect(await change(db, "select from moved_rows where account_id = $1", [accountId])).toEqual([]);
    expect(await claimedIds(db, "live")).toEqual([]);
  },
);

test("a run that slept after it noted the release deletes nothing of an account that has moved back", async () => {
  const { db } = database;
  const move = await aFrozenMove(db);
  const query: typeof db.query = async (statement) => {
    const rows = await db.query(statement);
    if (statement.name !== "mark-move-released") return rows;
    await change(db, "delete from outgoing_moves where account_id = $1", [move.accountId]);
    await aQueuedSend(db, { accountId: move.accountId });
    return rows;
  };
  await markReleased({ ...db, query }, move);
  expect((await queuesOf(db, move.accountId)).sends).toHaveLength(1);
});
