import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { retryQuarantined } from "./feedback-chores.ts";
import { postponeQuarantined, quarantine, releaseQuarantined, takeDueQuarantined } from "./quarantine-store.ts";

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

test("what is due is given to one taker, and to the next a minute later if that one died", async () => {
  const raw = aText();
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  await makeDue();
  const takers = await Promise.all([1, 2, 3].map(() => takeDueQuarantined(database.db, 100)));
  expect(takers.flat().filter((entry) => entry.raw === raw)).toHaveLength(1);
  expect(await nextTryOf(raw)).toMatchObject({ tries: 0, seconds: 60 });
});

test("what could not be applied is tried later each time, for a day", async () => {
  const raw = aText();
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  const seconds: unknown[] = [];
  const postpone = async () => {
    const { id } = await nextTryOf(raw);
    await postponeQuarantined(database.db, [id]);
    seconds.push((await nextTryOf(raw)).seconds);
  };
  for (let tries = 0; tries < 10; tries++) await postpone();
  await database.db.query({
    name: "age",
    text: `update feedback_quarantine set received_at = now() - interval '25 hours' where raw = $1`,
    values: [raw],
  });
  await postpone();
  expect(seconds).toEqual([20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, null]);
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

test("one that breaks us is put off and does not hold up the others", async () => {
  const [good, broken] = [aText(), aText()];
  await quarantine(database.db, [
    { reason: "unknown-send", raw: good },
    { reason: "unknown-send", raw: broken },
  ]);
  await makeDue();
  await retryQuarantined({
    db: database.db,
    log: createLog("silent"),
    read: (raw) => ({ kind: "unreadable", reason: raw }),
    take: (_, raw) => (raw === good ? Promise.resolve("applied") : Promise.reject(new Error("broken"))),
  });
  await expect(nextTryOf(good)).rejects.toThrow("not in quarantine");
  expect(await nextTryOf(broken)).toMatchObject({ tries: 1, seconds: 20 });
});

async function nextTryOf(raw: string) {
  const [row] = await database.db.query<{ id: number; tries: number; seconds: number | null }>({
    name: "next-try",
    text: `
      select id, tries, round(extract(epoch from next_try_at - now()))::integer as seconds
      from feedback_quarantine
      where raw = $1`,
    values: [raw],
  });
  if (row === undefined) throw new Error("it is not in quarantine");
  return row;
}
