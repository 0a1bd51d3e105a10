import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { createRefusalCounts } from "./count-refusals.ts";
import { usageChores } from "./usage-chores.ts";
import { startUsageTicker } from "./usage-ticker.ts";

const database = useTestDatabase();
const log = createLog("silent");

async function deltas(rows: number): Promise<string> {
  const accountId = await anAccount(database.db);
  await change(
    database.db,
    `insert into usage_deltas (account_id, hour, amount, kind, is_test, domain)
     select $1, 490000, 1, 1, false, 'd.test' from generate_series(1, $2::integer)`,
    [accountId, rows],
  );
  return accountId;
}

function count(accountId: string) {
  const text = `select (select count(*) from usage_deltas where account_id = $1) as waiting,
    (select coalesce(sum(delivered), 0)::bigint from usage_hours where account_id = $1) as folded`;
  return change(database.db, text, [accountId]).then(([row]) => row);
}

test("the chore folds all deltas", async () => {
  const accountId = await deltas(12_000);
  await usageChores({ db: database.db, log })[0]?.run();
  expect(await count(accountId)).toEqual({ waiting: 0, folded: 12_000 });
});

test("an API process folds when many deltas wait because no worker does, and leaves a few to workers", async () => {
  const few = await deltas(100);
  const refusalCounts = createRefusalCounts(database.db);
  const first = startUsageTicker({ db: database.db, log, refusalCounts });
  await sleep(300);
  await first.stop();
  expect(await count(few)).toEqual({ waiting: 100, folded: 0 });
  const many = await deltas(21_000);
  const second = startUsageTicker({ db: database.db, log, refusalCounts });
  await vi.waitFor(async () => expect((await count(many))?.waiting).toBeLessThan(20_000), 10_000);
  await second.stop();
});

test("hours older than 400 days are deleted, and younger ones stay", async () => {
  const accountId = await anAccount(database.db);
  const hours = `
    insert into usage_hours (account_id, mode, hour, domain)
    select $1, 'live', date_trunc('hour', now()) - days * interval '1 day', 'd' || n || '.test'
    from generate_series(1, 2500) as n, unnest(array[399, 401]) as days`;
  await change(database.db, hours, [accountId]);
  const key = `insert into usage_key_hours (account_id, api_key_id, hour) values ($1, $1, now() - interval '401 days')`;
  await change(database.db, key, [accountId]);
  await usageChores({ db: database.db, log })[1]?.run();
  const left = `select (select count(*) from usage_hours where account_id = $1) as hours, (select count(*) from usage_key_hours) as keys`;
  expect(await change(database.db, left, [accountId])).toEqual([{ hours: 2500, keys: 0 }]);
});
