import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import {
  addressBlock,
  attemptsPerAddress,
  attemptsPerUserAndAddress,
  countAttempt,
  createLoginThrottle,
  forgiveAttempt,
} from "./login-throttle.ts";

const database = useTestDatabase();
const throttle = createLoginThrottle(aConfig().secrets.tokenSigningKey.current);

test("of many attempts at once on one user from one address only five get to try a password", async () => {
  const attempt = { address: anAddress(), email: "ada@example.com" };
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => count(attempt)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(attemptsPerUserAndAddress);
});

test("one address trying many users is stopped after fifty", async () => {
  const address = anAddress();
  const tries = Array.from({ length: 70 }, (_, index) => count({ address, email: `user${index}@example.com` }));
  const results = await Promise.allSettled(tries);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(attemptsPerAddress);
});

test("a user whose guesses come from one address can still log in from another", async () => {
  const email = "shut-out@example.com";
  const attacker = anAddress();
  await Promise.allSettled(Array.from({ length: 20 }, () => count({ address: attacker, email })));
  await expect(count({ address: anAddress(), email })).resolves.toBeUndefined();
});

test("the case of the email gives no extra guesses", async () => {
  const address = anAddress();
  const spellings = ["ada@x.test", "ADA@x.test", "Ada@x.test", "aDa@x.test", "adA@x.test", "ada@X.test"];
  const results = await Promise.allSettled(spellings.map((email) => count({ address, email })));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(attemptsPerUserAndAddress);
});

test("successful log-ins never use up the attempts", async () => {
  const attempt = { address: anAddress(), email: "often@example.com" };
  for (let logins = 0; logins < 60; logins++) {
    await count(attempt);
    await forgiveAttempt(database.db, throttle, attempt);
  }
  await expect(count(attempt)).resolves.toBeUndefined();
});

test("forgiving takes its rows in the order in which counting does, so log-ins side by side never deadlock", async () => {
  const attempt = { address: anAddress(), email: "busy@example.com" };
  await database.db.query({ name: "forget-attempts", text: "delete from login_attempts" });
  await count(attempt);
  const rows = await database.db.query<{ bucket: Buffer }>({
    name: "buckets-in-order",
    text: "select bucket from login_attempts order by bucket",
  });
  const [first, second] = rows.map(({ bucket }) => bucket);
  const lock = "select from login_attempts where bucket = $1 for update nowait";
  const { forgiving } = await database.db.withTransaction(async (tx) => {
    await tx.query({ name: "lock-bucket", text: lock, values: [first] });
    const waiting = forgiveAttempt(database.db, throttle, attempt);
    await untilSomeoneWaits();
    // Free, because the one who waits for the first row has not taken the second.
    await tx.query({ name: "lock-bucket", text: lock, values: [second] });
    return { forgiving: waiting };
  });
  await forgiving;
});

test("attempts count anew when the window is over, and past windows are cleared away", async () => {
  const attempt = { address: anAddress(), email: "later@example.com" };
  await Promise.allSettled(Array.from({ length: 10 }, () => count(attempt)));
  await database.db.query({ name: "pass", text: "update login_attempts set window_ends_at = now()" });
  await expect(count(attempt)).resolves.toBeUndefined();
  for (let others = 0; others < 20; others++) await count({ address: anAddress(), email: "x@example.com" });
  const [row] = await database.db.query<{ past: number }>({
    name: "count-past",
    text: "select count(*) as past from login_attempts where window_ends_at <= now()",
  });
  expect(row?.past).toBe(0);
});

test("neither address nor email can be read from the table", async () => {
  await count({ address: "192.0.2.77", email: "private@example.com" });
  const [row] = await database.db.query<{ stored: string }>({
    name: "all-attempts",
    text: "select string_agg(encode(bucket, 'escape'), ' ') as stored from login_attempts",
  });
  expect(row?.stored.length).toBeGreaterThan(32);
  expect(row?.stored).not.toMatch(/192\.0\.2\.77|private@example/);
});

test.for([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002:ffff::1", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
] as const)("%s is counted as %s", ([address, block]) => {
  expect(addressBlock(address)).toBe(block);
});

function count(attempt: { address: string; email: string }) {
  return countAttempt(database.db, throttle, attempt);
}

async function untilSomeoneWaits(): Promise<void> {
  for (;;) {
    const waiting = await database.db.query({
      name: "who-waits",
      text: "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    });
    if (waiting.length > 0) return;
  }
}

function anAddress(): string {
  return [...randomBytes(4)].join(".");
}
