import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { takeControlToken, waitForControlToken } from "./control-budget.ts";

const database = useTestDatabase();

test("turns taken at the same moment lie the whole spacing apart", async () => {
  await setBudget("1.1 seconds", 10);
  const before = await nextTurn();
  await Promise.all(Array.from({ length: 8 }, () => takeControlToken(database.db, 60)));
  expect((await nextTurn()) - before).toBe(8 * 1100);
});

test("a wait is the time until the turn", async () => {
  await setBudget("5 seconds");
  const waits = [
    await takeControlToken(database.db, 60),
    await takeControlToken(database.db, 60),
    await takeControlToken(database.db, 60),
  ];
  // To the second: the statements themselves take a moment.
  for (const [index, wait] of waits.entries()) expect(wait).toBeCloseTo(index * 5, -0.5);
  expect(waits[0]).toBeLessThan(0.001);
});

test("a chore takes no turn while one is pending, and one when nobody waits", async () => {
  await setBudget("30 seconds");
  expect(await takeControlToken(database.db, 0)).toBeCloseTo(0, 1);
  expect(await takeControlToken(database.db, 0)).toBeUndefined();
  await setBudget("30 seconds");
  expect(await takeControlToken(database.db, 0)).toBeCloseTo(0, 1);
});

test("a turn that would come too late is refused with 503 and takes nothing away from others", async () => {
  await setBudget("6 seconds");
  await takeControlToken(database.db, 0);
  await takeControlToken(database.db, 10);
  await expect(waitForControlToken(database.db, "registration")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await takeControlToken(database.db, 13)).toBeCloseTo(12, 0);
});

test("a clock that was set back does not stop everything for as long", async () => {
  await setBudget("1.1 seconds");
  await database.db.query({ name: "far-ahead", text: "update control_budget set next_at = now() + interval '1 hour'" });
  expect(await takeControlToken(database.db, 0)).toBeCloseTo(0, 1);
  expect(await takeControlToken(database.db, 0)).toBeUndefined();
});

test("a budget that was not used for long gives one turn at once and not many", async () => {
  await setBudget("30 seconds");
  await database.db.query({ name: "age-budget", text: "update control_budget set next_at = now() - interval '1 day'" });
  const turns = await Promise.all([1, 2, 3].map(() => takeControlToken(database.db, 0)));
  expect(turns.filter((turn) => turn !== undefined)).toHaveLength(1);
});

async function nextTurn(): Promise<number> {
  const [row] = await database.db.query<{ next: string }>({
    name: "next-turn",
    text: "select next_at as next from control_budget",
  });
  return Date.parse(row?.next ?? "");
}

/** The next turn lies a little ahead, so that it does not matter when the first statement runs. */
async function setBudget(spacing: string, aheadSeconds = 0): Promise<void> {
  await database.db.query({
    name: "set-budget",
    text: "update control_budget set next_at = clock_timestamp() + make_interval(secs => $2), spacing = $1::interval",
    values: [spacing, aheadSeconds],
  });
}
