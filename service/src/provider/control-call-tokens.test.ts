import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { takeChangeSlot, takeControlToken, waitForControlToken } from "./control-call-tokens.ts";

const database = useTestDatabase();

test("tokens taken concurrently are a full spacing apart", async () => {
  await setTokens("1.1 seconds", 10);
  const before = await nextTokenAt();
  await Promise.all(Array.from({ length: 8 }, () => takeControlToken(database.db, 60)));
  expect((await nextTokenAt()) - before).toBe(8 * 1100);
});

test("taking a token returns the seconds until it is valid", async () => {
  await setTokens("5 seconds");
  const waits = [
    await takeControlToken(database.db, 60),
    await takeControlToken(database.db, 60),
    await takeControlToken(database.db, 60),
  ];
  // Accurate to a second, because the statements themselves take time.
  for (const [index, wait] of waits.entries()) expect(wait).toBeCloseTo(index * 5, -0.5);
  expect(waits[0]).toBeLessThan(0.001);
});

test("a chore takes no token while another call waits for one, and takes one when none waits", async () => {
  await setTokens("30 seconds");
  expect(await takeControlToken(database.db, 0)).toBeCloseTo(0, 1);
  expect(await takeControlToken(database.db, 0)).toBeUndefined();
  await setTokens("30 seconds");
  expect(await takeControlToken(database.db, 0)).toBeCloseTo(0, 1);
});

test("a registration whose token would be valid too late gets a 503 and uses up no token", async () => {
  await setTokens("6 seconds");
  await takeControlToken(database.db, 0);
  await takeControlToken(database.db, 10);
  await expect(waitForControlToken(database.db, "registration")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await takeControlToken(database.db, 13)).toBeCloseTo(12, 0);
});

test("registrations that never stop leave every second token to verification and chores", async () => {
  await setTokens("0.2 seconds");
  const registrations = Array.from({ length: 20 }, () =>
    waitForControlToken(database.db, "registration").catch(() => undefined),
  );
  await expect(waitForControlToken(database.db, "chore")).resolves.toBeUndefined();
  await expect(waitForControlToken(database.db, "chore")).resolves.toBeUndefined();
  await Promise.all(registrations);
});

test("after a pause two changes get their slot together, and the next one two spacings later", async () => {
  await setTokens("5 seconds");
  const slots = [
    await takeChangeSlot(database.db, 60),
    await takeChangeSlot(database.db, 60),
    await takeChangeSlot(database.db, 60),
  ];
  for (const [index, slot] of slots.entries()) expect(slot).toBeCloseTo([0, 0, 10][index] ?? 0, -0.5);
  expect(await takeChangeSlot(database.db, 10)).toBeUndefined();
});

test("a database clock that was set back an hour does not block control calls for an hour", async () => {
  await setTokens("1.1 seconds");
  await database.db.query({
    name: "far-ahead",
    text: "update control_budget set next_at = now() + interval '1 hour', changes_at = now() + interval '1 hour'",
  });
  expect(await takeChangeSlot(database.db, 0)).toBeCloseTo(0, 1);
  expect(await takeControlToken(database.db, 0)).toBeCloseTo(0, 1);
  expect(await takeControlToken(database.db, 0)).toBeUndefined();
});

test("unused tokens do not accumulate: after a day without calls one token is available", async () => {
  await setTokens("30 seconds");
  await database.db.query({ name: "age-tokens", text: "update control_budget set next_at = now() - interval '1 day'" });
  const waits = await Promise.all([1, 2, 3].map(() => takeControlToken(database.db, 0)));
  expect(waits.filter((wait) => wait !== undefined)).toHaveLength(1);
});

async function nextTokenAt(): Promise<number> {
  const [row] = await database.db.query<{ next: string }>({
    name: "next-token-at",
    text: "select next_at as next from control_budget",
  });
  return Date.parse(row?.next ?? "");
}

/**
 * With `aheadSeconds`, the next token is valid in the future, so the time at which the first statement runs has no
 * effect.
 */
async function setTokens(spacing: string, aheadSeconds = 0): Promise<void> {
  await database.db.query({
    name: "set-tokens",
    text: `
      update control_budget
      set next_at = clock_timestamp() + make_interval(secs => $2), changes_at = clock_timestamp(), spacing = $1::interval`,
    values: [spacing, aheadSeconds],
  });
}
