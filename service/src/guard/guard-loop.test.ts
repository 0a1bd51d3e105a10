import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { addGuardCounts } from "../../test/guard-counts.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { beginRound, runRound } from "./guard-loop.ts";
import { findGuardState } from "./guard-store.ts";
import { HoldParking } from "./hold-parking.ts";

const database = useTestDatabase();
useEmptyQueue(database);
const log = createLog("silent");

test("of eight workers one begins a round, and another one two seconds later although the first has crashed", async () => {
  await change(database.db, "update guard_rounds set began_at = 'epoch'");
  const begin = async () => {
    const begun = await Promise.all(Array.from({ length: 8 }, () => beginRound(database.db)));
    return begun.filter(Boolean).length;
  };
  expect(await begin()).toBe(1);
  expect(await begin()).toBe(0);
  await change(database.db, "update guard_rounds set began_at = now() - interval '2 seconds'");
  expect(await begin()).toBe(1);
});

test("rounds go on when the clock of the server was set back by an hour", async () => {
  await change(database.db, "update guard_rounds set began_at = now() + interval '1 hour'");
  expect(await beginRound(database.db)).toBe(true);
});

test("a round counts the outcomes that were just stored, holds the account and parks its backlog", async () => {
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, { accountId });
  await addGuardCounts(database.db, accountId, { outcomes: 199, hardBounces: 99 });
  await change(
    database.db,
    `insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, guard_since)
     values ($1, hour_number(now()), 1, 2, false, 'shop.test', extract(epoch from now())::integer)`,
    [accountId],
  );
  const parking = new HoldParking(database.db);
  await runRound({ db: database.db, log }, parking);
  expect(await findGuardState(database.db, accountId)).toMatchObject({
    reason: expect.stringMatching(/^100 of 200 recipients/),
  });
  await parking.park(1_000);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "parked" });
});
