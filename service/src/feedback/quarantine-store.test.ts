import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { dropQuarantined } from "./feedback-chores.ts";
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

test("entries that are no longer retried are deleted after 30 days; younger ones and those to replay stay", async () => {
  const [old, young, replayed] = [aText(), aText(), aText()];
  const many = Array.from({ length: 600 }, aText);
  await quarantine(
    database.db,
    [old, ...many, young, replayed].map((raw) => ({ reason: "unreadable", raw })),
  );
  await database.db.query({
    name: "age-quarantined",
    text: `
      update feedback_quarantine
      set received_at = now() - make_interval(days => case when raw = $1 then 29 else 31 end),
        next_try_at = case when raw = $2 then now() end
      where raw = any($3::text[])`,
    values: [young, replayed, [old, ...many, young, replayed]],
  });
  await dropQuarantined({ db: database.db, log: createLog("silent") });
  const kept = await database.db.query<{ raw: string }>({
    name: "kept-of",
    text: "select raw from feedback_quarantine where raw = any($1::text[])",
    values: [[old, ...many, young, replayed]],
  });
  expect(kept.map(({ raw }) => raw).toSorted()).toEqual([young, replayed].toSorted());
  await database.db.query({
    name: "delete-kept",
    text: "delete from feedback_quarantine where raw = any($1::text[])",
    values: [[young, replayed]],
  });
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
