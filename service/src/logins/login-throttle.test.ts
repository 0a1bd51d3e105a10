import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import {
  addressBlock,
  attemptsPerAddress,
  attemptsPerUserAndAddress,
  clearAttempts,
  countAttempt,
  createLoginThrottle,
} from "./login-throttle.ts";

const database = useTestDatabase();
const throttle = createLoginThrottle(aConfig().secrets.tokenSigningKey.current);

test("of many concurrent attempts for one user from one address only five may try a password", async () => {
  const attempt = { address: anAddress(), email: "ada@example.com" };
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => count(attempt)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(attemptsPerUserAndAddress);
});

test("one address may try fifty passwords across all users and no more", async () => {
  const address = anAddress();
  const tries = Array.from({ length: 70 }, (_, index) => count({ address, email: `user${index}@example.com` }));
  const results = await Promise.allSettled(tries);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(attemptsPerAddress);
});

test("guesses from one address do not keep the user from logging in from another", async () => {
  const email = "shut-out@example.com";
  const attacker = anAddress();
  await Promise.allSettled(Array.from({ length: 20 }, () => count({ address: attacker, email })));
  await expect(count({ address: anAddress(), email })).resolves.toBeUndefined();
});

test("changing the case of the email gives no extra attempts", async () => {
  const address = anAddress();
  const spellings = ["ada@x.test", "ADA@x.test", "Ada@x.test", "aDa@x.test", "adA@x.test", "ada@X.test"];
  const results = await Promise.allSettled(spellings.map((email) => count({ address, email })));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(attemptsPerUserAndAddress);
});

test("successful log-ins do not use up attempts", async () => {
  const attempt = { address: anAddress(), email: "often@example.com" };
  for (let logins = 0; logins < 60; logins++) {
    await count(attempt);
    await clearAttempts(database.db, throttle, attempt);
  }
  await expect(count(attempt)).resolves.toBeUndefined();
});

test("clearing attempts locks its rows in the same order as counting, so concurrent log-ins never deadlock", async () => {
  const attempt = { address: anAddress(), email: "busy@example.com" };
  await database.db.query({ name: "forget-attempts", text: "delete from login_attempts" });
  await count(attempt);
  const rows = await database.db.query<{ bucket: Buffer }>({
    name: "buckets-in-order",
    text: "select bucket from login_attempts order by bucket",
  });
  const [first, second] = rows.map(({ bucket }) => bucket);
  const lock = "select from login_attempts where bucket = $1 for update nowait";
  const { clearing } = await database.db.withTransaction(async (tx) => {
    await tx.query({ name: "lock-bucket", text: lock, values: [first] });
    const waiting = clearAttempts(database.db, throttle, attempt);
    await untilLockIsAwaited();
    // This row is unlocked: the statement that waits for the first row has not locked the second.
    await tx.query({ name: "lock-bucket", text: lock, values: [second] });
    return { clearing: waiting };
  });
  await clearing;
});

test("a new window starts with no attempts, and past windows are deleted", async () => {
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

test("the table contains no readable address or email", async () => {
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

async function untilLockIsAwaited(): Promise<void> {
  for (;;) {
    const waiting = await database.db.query({
      name: "awaited-locks",
      text: "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    });
    if (waiting.length > 0) return;
  }
}

function anAddress(): string {
  return [...randomBytes(4)].join(".");
}
