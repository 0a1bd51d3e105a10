import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aDatabaseThatGoes, leftRow, ownRow, readersIn, signsIn } from "../../test/feedback-reading.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ReaderBeat } from "./consumer-heartbeat.ts";

const database = useTestDatabase();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  await change(database.db, "delete from feedback_readers");
  await change(database.db, "update feedback_signs set polled_at = null, empty_at = null");
});
afterEach(() => void vi.useRealTimers());

test("a queue counts as empty only after nothing came for as long as others may have messages in hand", async () => {
  const beat = aBeat();
  beat.ask(1).foundEmpty();
  await beat.beat();
  expect(await signsIn(database.db)).toEqual({ polled: true, emptySecondsAgo: null });
  vi.advanceTimersByTime(6_000);
  beat.ask(1).foundEmpty();
  await beat.beat();
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeLessThan(5);
});

test("a message ends the time in which a queue was empty: the next empty answer alone proves nothing", async () => {
  const beat = aBeat();
  beat.ask(1).foundEmpty();
  vi.advanceTimersByTime(6_000);
  beat.foundSome();
  beat.ask(1).foundEmpty();
  await beat.beat();
  expect(await signsIn(database.db)).toEqual({ polled: true, emptySecondsAgo: null });
});

test("a queue was empty when it was last asked, not when that is told", async () => {
  const beat = aBeat();
  beat.ask(1).foundEmpty();
  vi.advanceTimersByTime(6_000);
  beat.ask(1).foundEmpty();
  vi.advanceTimersByTime(8_000);
  await beat.beat();
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeGreaterThan(8);
});

test("an answer that was read late says nothing of the time in which it lay there", async () => {
  const beat = aBeat();
  beat.ask(1).foundEmpty();
  const asking = beat.ask(1);
  vi.advanceTimersByTime(9_000);
  asking.foundEmpty();
  await beat.beat();
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeGreaterThan(8);
});

test("who was stopped left what it was given meanwhile, and does not call a queue empty that it did not ask", async () => {
  const beat = aBeat();
  await beat.beat();
  beat.ask(1).foundEmpty();
  vi.advanceTimersByTime(5_000);
  beat.ask(1).foundEmpty();
  await beat.beat();
  expect(await readersIn(database.db)).toMatchObject([ownRow]);
  await change(database.db, "update feedback_signs set empty_at = null");
  vi.advanceTimersByTime(45_000);
  await beat.beat();
  expect(await readersIn(database.db)).toMatchObject([leftRow, ownRow]);
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeNull();
});

test("what could not be told while the database was away is told when it is back", async () => {
  const { db, away } = aDatabaseThatGoes(database.db);
  const beat = aBeat(db);
  beat.foundSome();
  beat.leftSome();
  away(true);
  await expect(beat.beat()).rejects.toThrow("away");
  expect(beat.isFresh).toBe(false);
  away(false);
  await beat.beat();
  expect(beat.isFresh).toBe(true);
  expect(await readersIn(database.db)).toMatchObject([leftRow, ownRow]);
  expect(await signsIn(database.db)).toMatchObject({ polled: true });
});

test("what was told once is not told again", async () => {
  const beat = aBeat();
  beat.leftSome();
  await beat.beat();
  await change(database.db, "delete from feedback_readers");
  await beat.beat();
  expect(await readersIn(database.db)).toMatchObject([ownRow]);
});

function aBeat(db = database.db as ConstructorParameters<typeof ReaderBeat>[0]["db"]) {
  return new ReaderBeat({ db, mode: "live", hiddenSeconds: 0.05, waitSeconds: 20 });
}
