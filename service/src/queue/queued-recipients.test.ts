import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { countEarlierSends, foldQueuedRecipients, readQueuedRecipients } from "./queued-recipients.ts";

const database = useTestDatabase();

async function anAccountWithQueue(sends: number) {
  const accountId = await anAccount(database.db);
  const ids: string[] = [];
  for (let queued = 0; queued < sends; queued++) ids.push(await aQueuedSend(database.db, { accountId }));
  return { accountId, ids, mode: "live" as const };
}

const read = async (account: { accountId: string; mode: "live" | "test" }) =>
  (await readQueuedRecipients(database.db, [account]))[0];

test("sends of an account without the quota are not counted and leave no trace", async () => {
  const account = await anAccountWithQueue(2);
  await change(database.db, "delete from send_queue where account_id = $1", [account.accountId]);
  expect(await read(account)).toBe(0);
  expect(
    await change(database.db, "select from queued_recipient_changes where account_id = $1", [account.accountId]),
  ).toEqual([]);
});

test("earlier sends of the account count once, however often the command runs, and other accounts and modes do not", async () => {
  const [account, other] = [await anAccountWithQueue(3), await anAccountWithQueue(1)];
  await countEarlierSends(database.db, account);
  await countEarlierSends(database.db, account);
  expect(await read(account)).toBe(3);
  expect(await read(other)).toBe(0);
  expect(await read({ ...account, mode: "test" })).toBe(0);
});

test("a send leaves the count with what it added, also when a recipient was suppressed meanwhile", async () => {
  const account = await anAccountWithQueue(2);
  const [id] = account.ids;
  await change(database.db, "update send_queue set recipients = '{a@x.test,b@x.test,c@x.test}' where id = $1", [id]);
  await countEarlierSends(database.db, account);
  expect(await read(account)).toBe(4);
  await change(database.db, "update send_queue set recipients = '{a@x.test}' where id = $1", [id]);
  await change(database.db, "delete from send_queue where id = $1", [id]);
  expect(await read(account)).toBe(1);
});

test("folding keeps the count, also when folds and queue changes run at the same time", async () => {
  const account = await anAccountWithQueue(40);
  await countEarlierSends(database.db, account);
  await Promise.all([
    ...account.ids.slice(0, 30).map((id) => change(database.db, "delete from send_queue where id = $1", [id])),
    ...Array.from({ length: 4 }, () => foldQueuedRecipients(database.db, 3)),
  ]);
  expect(await read(account)).toBe(10);
  let folded = 0;
  do {
    folded = await foldQueuedRecipients(database.db, 100);
  } while (folded > 0);
  expect(await change(database.db, "select from queued_recipient_changes")).toEqual([]);
  expect(await read(account)).toBe(10);
});
