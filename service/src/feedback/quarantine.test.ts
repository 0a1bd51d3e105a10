import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { retryQuarantined } from "../worker/feedback-chores.ts";
import { quarantine, releaseQuarantined, takeDueQuarantined } from "./quarantine-store.ts";

const database = useTestDatabase();

async function makeDue(): Promise<void> {
  await database.db.query({
    name: "make-due",
    text: `update feedback_quarantine set next_try_at = now() where next_try_at is not null`,
  });
}

function aText(): string {
  return `text ${randomBytes(6).toString("hex")}`;
}

test("the same text is kept once, however often it is told", async () => {
  const raw = aText();
  await quarantine(database.db, [
    { reason: "unknown-send", raw },
    { reason: "unknown-send", raw },
  ]);
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  await makeDue();
  expect((await takeDueQuarantined(database.db, 100)).filter((entry) => entry.raw === raw)).toHaveLength(1);
});

test("what is due is given to one taker, further away each time, and for a day", async () => {
  const raw = aText();
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  await makeDue();
  const takers = await Promise.all([1, 2, 3].map(() => takeDueQuarantined(database.db, 100)));
  expect(takers.flat().filter((entry) => entry.raw === raw)).toHaveLength(1);
  expect((await takeDueQuarantined(database.db, 100)).filter((entry) => entry.raw === raw)).toEqual([]);
  await database.db.query({
    name: "age",
    text: `update feedback_quarantine set received_at = now() - interval '25 hours', next_try_at = now() where raw = $1`,
    values: [raw],
  });
  expect((await takeDueQuarantined(database.db, 100)).filter((entry) => entry.raw === raw)).toHaveLength(1);
  await makeDue();
  expect((await takeDueQuarantined(database.db, 100)).filter((entry) => entry.raw === raw)).toEqual([]);
});

test("what cannot be read is kept and not tried again", async () => {
  const raw = `${aText()}\0 with what PostgreSQL does not take`;
  await quarantine(database.db, [{ reason: "unreadable", raw }]);
  await makeDue();
  const due = await takeDueQuarantined(database.db, 100);
  expect(due.filter((entry) => entry.reason === "unreadable")).toEqual([]);
});

test("a retry lets go of what could be applied, and keeps the rest", async () => {
  const [good, bad] = [aText(), aText()];
  await quarantine(database.db, [
    { reason: "unknown-send", raw: good },
    { reason: "unknown-send", raw: bad },
  ]);
  await makeDue();
  await retryQuarantined({
    db: database.db,
    log: createLog("silent"),
    read: (raw) => ({ kind: "unreadable", reason: raw }),
    take: async (_, raw) => (raw === good ? "applied" : "unknown-send"),
  });
  await makeDue();
  const left = (await takeDueQuarantined(database.db, 100)).map((entry) => entry.raw);
  expect(left).toContain(bad);
  expect(left).not.toContain(good);
  await releaseQuarantined(database.db, []);
});
