import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aClaimedSend, aQueuedSend, attemptOf } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { cancelSends } from "./cancel-sends.ts";
import { correctQueuedRecipients, countEarlierSends } from "./count-queued-recipients.ts";
import { foldQueuedRecipients, readQueuedRecipients } from "./queued-recipients.ts";
import { markSent } from "./settle-sends.ts";

const database = useTestDatabase();

async function anAccountWithQueue(sends: number) {
  const accountId = await anAccount(database.db);
  const ids: string[] = [];
  for (let queued = 0; queued < sends; queued++) ids.push(await aQueuedSend(database.db, { accountId }));
  return { accountId, ids, mode: "live" as const };
}

const cancel = (accountId: string) => cancelSends(database.db, { accountId, message: "a test" });

const read = async (account: { accountId: string; mode: "live" | "test" }) =>
  (await readQueuedRecipients(database.db, [account]))[0];

test("every statement that deletes from the queue subtracts what it deletes", () => {
  const folder = join(import.meta.dirname, "..");
  const files = globSync("**/*.ts", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));
  const forgetful = files.filter((file) => {
    const source = readFileSync(join(folder, file), "utf8");
    // settle-sends.ts names the delete, settle-statement.ts appends the rest.
    return (
      /delete from send_queue/.test(source) && !source.includes("uncountQueued(") && !file.endsWith("settle-sends.ts")
    );
  });
  expect(files.length).toBeGreaterThan(100);
  expect(forgetful).toEqual([]);
});

test("sends of an account without the quota are not counted and leave no trace", async () => {
  const account = await anAccountWithQueue(2);
  await cancel(account.accountId);
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

test("a count that an older version left too high is corrected", async () => {
  const account = await anAccountWithQueue(3);
  await countEarlierSends(database.db, account);
  await foldQueuedRecipients(database.db, 100);
  await change(database.db, "delete from send_queue where id = $1", [account.ids[0]]);
  expect(await read(account)).toBe(3);
  expect(await correctQueuedRecipients(database.db, account)).toBe(-1);
  expect(await read(account)).toBe(2);
  expect(await correctQueuedRecipients(database.db, account)).toBe(0);
});

test("a send leaves the count with what it added, also when a recipient was suppressed meanwhile", async () => {
  const send = await aClaimedSend(database.db);
  const account = { accountId: send.accountId, mode: "live" as const };
  await aQueuedSend(database.db, account);
  const setRecipients = (recipients: string) =>
    change(database.db, "update send_queue set recipients = $2::text[] where id = $1", [send.id, recipients]);
  await setRecipients("{a@x.test,b@x.test,c@x.test}");
  await countEarlierSends(database.db, account);
  expect(await read(account)).toBe(4);
  await setRecipients("{a@x.test}");
  await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m" }]);
  expect(await read(account)).toBe(1);
  await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m" }]);
  expect(await read(account)).toBe(1);
});

test("folding keeps the count, also when folds and queue changes run at the same time", async () => {
  const account = await anAccountWithQueue(40);
  await countEarlierSends(database.db, account);
  await Promise.all([
    cancel(account.accountId),
    ...Array.from({ length: 4 }, () => foldQueuedRecipients(database.db, 3)),
  ]);
  expect(await read(account)).toBe(0);
  let folded = 0;
  do {
    folded = await foldQueuedRecipients(database.db, 100);
  } while (folded > 0);
  expect(await change(database.db, "select from queued_recipient_changes")).toEqual([]);
  expect(await read(account)).toBe(0);
});
