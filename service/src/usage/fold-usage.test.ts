import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aCandidate } from "../../test/a-candidate.ts";
import { anAccount } from "../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createAcceptBatch } from "../accept/accept-batch.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { foldUsageDeltas } from "./fold-usage.ts";
import { recipientsToday } from "./recipients-today.ts";
import { foldUsage } from "./usage-chores.ts";

const database = useTestDatabase();

async function accept(accountId: string, domain: string, recipients: string[], idempotencyHash?: Buffer) {
  const decide = createAcceptBatch(database.db, await openDatabaseClock(database.db));
  const candidate = aCandidate({ id: randomUUIDv7(), accountId, domain, recipients });
  if (candidate.send !== undefined) candidate.send.idempotencyHash = idempotencyHash;
  return decide(candidate);
}

function hoursOf(accountId: string) {
  return change(
    database.db,
    `select domain, accepted_sends, accepted_recipients, suppressed, content_bytes from usage_hours where account_id = $1 order by domain`,
    [accountId],
  );
}

test("accepted sends, recipients, bytes of content and suppressed recipients are counted once, whether folded or not", async () => {
  const accountId = await anAccount(database.db);
  await change(database.db, "update accounts set limit_per_second = 100 where id = $1", [accountId]);
  const [one, two] = [await aVerifiedDomain(database.db, accountId), await aVerifiedDomain(database.db, accountId)];
  await aSuppression(database.db, { accountId, email: "gone@x.test" });
  const key = Buffer.alloc(16, 7);
  await accept(accountId, one, ["a@x.test", "b@x.test"], key);
  await foldUsage(database.db, 60_000);
  await accept(accountId, one, ["a@x.test", "b@x.test"], key);
  await accept(accountId, two, ["gone@x.test", "c@x.test"]);
  await accept(accountId, two, ["gone@x.test"]);
  expect(await recipientsToday(database.db, [accountId])).toEqual([{ accountId, mode: "live", recipients: 5 }]);
  await foldUsage(database.db, 60_000);
  expect(await recipientsToday(database.db, [accountId])).toEqual([{ accountId, mode: "live", recipients: 5 }]);
  const counts = [
    { domain: one, accepted_sends: 1, accepted_recipients: 2, suppressed: 0, content_bytes: 6 },
    { domain: two, accepted_sends: 2, accepted_recipients: 3, suppressed: 2, content_bytes: 6 },
  ];
  expect(await hoursOf(accountId)).toEqual(counts.toSorted((a, b) => (a.domain < b.domain ? -1 : 1)));
});

test("eight folds at the same time count every delta once", async () => {
  const accountId = await anAccount(database.db);
  await change(
    database.db,
    `insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends)
     select $1, 490000 + n % 3, 2, 0, n % 2 = 0, 'd' || n % 7 || '.test', 1 from generate_series(1, 4000) as n`,
    [accountId],
  );
  const folded = await Promise.all(
    Array.from({ length: 8 }, async () => {
      let taken = 0;
      for (let last = 1; last > 0; taken += last) last = await foldUsageDeltas(database.db, 100);
      return taken;
    }),
  );
  expect(folded.reduce((sum, one) => sum + one)).toBeGreaterThanOrEqual(4000);
  const sums =
    "select sum(accepted_sends)::int as sends, sum(accepted_recipients)::int as recipients from usage_hours where account_id = $1";
  expect(await change(database.db, sums, [accountId])).toEqual([{ sends: 4000, recipients: 8000 }]);
});

test("a fold that fails counts nothing and loses nothing", async () => {
  const accountId = await anAccount(database.db);
  const insert = `insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends) values ($1, 490000, $2, 0, false, 'd.test', 1)`;
  await change(database.db, insert, [accountId, 3]);
  await expect(
    database.db.withTransaction(async (tx) => {
      await foldUsageDeltas(tx, 5_000);
      throw new Error("crash");
    }),
  ).rejects.toThrow("crash");
  expect(await hoursOf(accountId)).toEqual([]);
  await foldUsage(database.db, 60_000);
  expect(await hoursOf(accountId)).toEqual([expect.objectContaining({ accepted_recipients: 3 })]);
});
