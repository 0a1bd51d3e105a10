import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { takeTurn, waitForTurn } from "./control-budget.ts";

const database = useTestDatabase();

test("turns taken at the same moment lie the whole spacing apart", async () => {
  await setBudget("1.1 seconds");
  const ahead = "update control_budget set next_at = '2100-01-01T00:00:00Z'";
  await database.db.query({ name: "start-ahead", text: ahead });
  const century = 100 * 366 * 24 * 3600;
  await Promise.all(Array.from({ length: 8 }, () => takeTurn(database.db, century)));
  const [row] = await database.db.query<{ next: string }>({
    name: "next-turn",
    text: "select next_at as next from control_budget",
  });
  expect(row?.next).toBe("2100-01-01T00:00:08.800Z");
});

test("a wait is the time until the turn", async () => {
  await setBudget("5 seconds");
  const waits = [await takeTurn(database.db, 60), await takeTurn(database.db, 60), await takeTurn(database.db, 60)];
  // To the second: the statements themselves take a moment.
  for (const [index, wait] of waits.entries()) expect(wait).toBeCloseTo(index * 5, -0.5);
  expect(waits[0]).toBeLessThan(0.001);
});

test("a chore takes no turn while one is pending, and one when nobody waits", async () => {
  await setBudget("1 hour");
  expect(await takeTurn(database.db, 0)).toBeCloseTo(0, 1);
  expect(await takeTurn(database.db, 0)).toBeUndefined();
  await setBudget("1 hour");
  expect(await takeTurn(database.db, 0)).toBeCloseTo(0, 1);
});

test("a turn that would come too late is refused with 503 and takes nothing away from others", async () => {
  await setBudget("6 seconds");
  await takeTurn(database.db, 0);
  await takeTurn(database.db, 10);
  await expect(waitForTurn(database.db, "registration")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await takeTurn(database.db, 13)).toBeCloseTo(12, 0);
});

test("a budget that was not used for long gives one turn at once and not many", async () => {
  await setBudget("1 hour");
  await database.db.query({ name: "age-budget", text: "update control_budget set next_at = now() - interval '1 day'" });
  const turns = await Promise.all([1, 2, 3].map(() => takeTurn(database.db, 0)));
  expect(turns.filter((turn) => turn !== undefined)).toHaveLength(1);
});

async function setBudget(spacing: string): Promise<void> {
  await database.db.query({
    name: "set-budget",
    text: "update control_budget set next_at = clock_timestamp(), spacing = $1::interval",
    values: [spacing],
  });
}
