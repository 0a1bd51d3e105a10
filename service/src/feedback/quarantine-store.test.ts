import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
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

test("the same text is stored once, however often it arrives", async () => {
  const raw = aText();
  await quarantine(database.db, [
    { reason: "unknown-send", raw },
    { reason: "unknown-send", raw },
  ]);
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  await makeDue();
  expect((await takeDueQuarantined(database.db, 100)).filter((entry) => entry.raw === raw)).toHaveLength(1);
});

test("one of three processes takes a due entry, and another may take it a minute later if that one crashes", async () => {
  const raw = aText();
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  await makeDue();
  const taken = await Promise.all([1, 2, 3].map(() => takeDueQuarantined(database.db, 100)));
  expect(taken.flat().filter((entry) => entry.raw === raw)).toHaveLength(1);
  expect(await nextTryOf(raw)).toMatchObject({ tries: 0, seconds: 60 });
});

test("the delay until the next try grows with each try, and there is none after a day", async () => {
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
    name: "age-entry",
    text: `update feedback_quarantine set received_at = now() - interval '25 hours' where raw = $1`,
    values: [raw],
  });
  await postpone();
  expect(seconds).toEqual([20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, null]);
});

test("an unreadable entry is stored and not retried", async () => {
  const raw = `${aText()}\0 with a character that PostgreSQL refuses`;
  await quarantine(database.db, [{ reason: "unreadable", raw }]);
  await makeDue();
  const due = await takeDueQuarantined(database.db, 100);
  expect(due.filter((entry) => entry.reason === "unreadable")).toEqual([]);
});

test("a release without entries keeps all of them", async () => {
  const raw = aText();
  await quarantine(database.db, [{ reason: "unknown-send", raw }]);
  await releaseQuarantined(database.db, []);
  expect(await nextTryOf(raw)).toMatchObject({ tries: 0 });
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
  if (row === undefined) throw new Error("the text is not in quarantine");
  return row;
}
