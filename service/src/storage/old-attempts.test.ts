import { hash, randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { storageChores } from "./storage-chores.ts";

const database = useTestDatabase();

test("attempts are deleted 90 days after their send was accepted and they ended, and younger ones stay", async () => {
  const old = await attemptsOf({ acceptedDaysAgo: 91, endedDaysAgo: 91 }, 3);
  const young = await attemptsOf({ acceptedDaysAgo: 89, endedDaysAgo: 89 }, 2);
  const retriedLately = await attemptsOf({ acceptedDaysAgo: 200, endedDaysAgo: 1 }, 1);
  await runChore();
  expect(await Promise.all([old, young, retriedLately].map(countAttempts))).toEqual([0, 2, 1]);
});

test("the attempts of a send that is still queued stay, however old it is", async () => {
  const accountId = await anAccount(database.db);
  const id = await attemptsOf({ acceptedDaysAgo: 120, endedDaysAgo: 119 }, 2);
  const queued = await aQueuedSend(database.db, { accountId });
  await change("update send_queue set id = $2 where id = $1", [queued, id]);
  await runChore();
  expect(await countAttempts(id)).toBe(2);
});

test("more attempts than fit into one batch are deleted in one run", async () => {
  await change(
    `insert into send_attempts (send_id, attempt, started_at, ended_at, outcome)
     select new_id_at(now() - interval '100 days'), 1, now() - interval '100 days', now() - interval '100 days', 'refused'
     from generate_series(1, $1::int)`,
    [4_500],
  );
  await runChore();
  const [row] = await database.db.query<{ rows: number }>({
    name: "count-old-attempts",
    text: "select count(*) as rows from send_attempts where send_id < first_id_at(now() - interval '99 days') and attempt = 1 and outcome = 'refused'",
  });
  expect(row?.rows).toBe(0);
});

async function runChore(): Promise<void> {
  const retention = { contentRetentionDays: 30, auditRetentionDays: 400 };
  const deps = { db: database.db, log: createLog("silent"), partitionSpan: "month", ...retention } as const;
  const chore = storageChores(deps).find(({ name }) => name === "drop-old-attempts");
  expect(chore).toBeDefined();
  await chore?.run();
}

async function attemptsOf(ages: { acceptedDaysAgo: number; endedDaysAgo: number }, count: number): Promise<string> {
  const [row] = await database.db.query<{ id: string }>({
    name: "id-of-age",
    text: "select new_id_at(now() - make_interval(days => $1)) as id",
    values: [ages.acceptedDaysAgo],
  });
  const id = row?.id ?? randomUUIDv7();
  await change(
    `insert into send_attempts (send_id, attempt, started_at, ended_at, outcome)
     select $1, n, now() - make_interval(days => $3), now() - make_interval(days => $3), 'try-later'
     from generate_series(1, $2::int) as n`,
    [id, count, ages.endedDaysAgo],
  );
  return id;
}

async function countAttempts(id: string): Promise<number> {
  const [row] = await database.db.query<{ rows: number }>({
    name: "count-attempts",
    text: "select count(*) as rows from send_attempts where send_id = $1",
    values: [id],
  });
  return row?.rows ?? 0;
}

async function change(text: string, values: unknown[]): Promise<void> {
  await database.db.withTransaction((tx) => tx.query({ name: `change-${hash("sha1", text)}`, text, values }));
}
