import { expect, test } from "vitest";
import { aCandidate } from "../../test/a-candidate.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { newSendId } from "../sends/send-id.ts";
import { createAcceptBatch } from "./accept-batch.ts";

const database = useTestDatabase();

/** At the default limit of 100 a minute, a recipient moves the next send of its account back by 0.6 s. */
const fiftyRecipients = Array.from({ length: 50 }, (_, index) => `r${index}@example.test`);
const secondsOfOne = 30;

interface Flooder {
  /** Accepts one send after the other. Returns how many seconds the last one is behind the clock. */
  send(count: number): Promise<number>;
  sendFromUnverifiedDomain(): Promise<void>;
  emptyQueue(): Promise<void>;
}

async function aFlooder(): Promise<Flooder> {
  const { db } = database;
  const accountId = await anAccount(db);
  await db.query({
    name: "raise-limit-per-second",
    text: `update accounts set limit_per_second = 100, limit_per_10_seconds = 100 where id = $1`,
    values: [accountId],
  });
  const domain = await aVerifiedDomain(db, accountId);
  const clock = await openDatabaseClock(db);
  const decide = createAcceptBatch(db, clock);
  const sendFrom = (name: string) =>
    decide(aCandidate({ id: newSendId(clock.now()), accountId, domain: name, recipients: fiftyRecipients }));
  return {
    async send(count) {
      for (let sent = 0; sent < count; sent++) expect(await sendFrom(domain)).toMatchObject({ kind: "stored" });
      const [last] = await db.query<{ seconds: number }>({
        name: "place-of-last",
        text: `
          select extract(epoch from fair_at - clock_timestamp())::float8 as seconds
          from send_queue
          where account_id = $1
          order by id desc
          limit 1`,
        values: [accountId],
      });
      return last?.seconds ?? Number.NaN;
    },
    async sendFromUnverifiedDomain() {
      expect(await sendFrom("not-ours.test")).toMatchObject({ kind: "domain-not-verified" });
    },
    async emptyQueue() {
      await db.query({
        name: "empty-queue",
        text: `delete from send_queue where account_id = $1`,
        values: [accountId],
      });
    },
  };
}

test("an account with queued mail stays behind the others by all of it, not by two minutes", async () => {
  const flooder = await aFlooder();
  expect(await flooder.send(20)).toBeGreaterThan(20 * secondsOfOne - 60);
});

test("refused requests neither make the queued mail of the account forgotten nor put it back further", async () => {
  const flooder = await aFlooder();
  await flooder.send(10);
  for (let times = 0; times < 20; times++) await flooder.sendFromUnverifiedDomain();
  const seconds = await flooder.send(1);
  expect(seconds).toBeGreaterThan(11 * secondsOfOne - 60);
  expect(seconds).toBeLessThan(11 * secondsOfOne + 1);
});

test("an account whose mail has gone out is two minutes behind the others at most", async () => {
  const flooder = await aFlooder();
  await flooder.send(20);
  await flooder.emptyQueue();
  expect(await flooder.send(1)).toBeLessThan(120 + secondsOfOne + 1);
});
