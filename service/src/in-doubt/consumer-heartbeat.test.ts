import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aDatabaseThatGoes, consumersIn, leftRow, ownRow, signsIn } from "../../test/feedback-reading.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ConsumerHeartbeat } from "./consumer-heartbeat.ts";

const database = useTestDatabase();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  await change(database.db, "delete from feedback_consumers");
  await change(database.db, "update feedback_progress set polled_at = null, queue_empty_at = null");
});
afterEach(() => void vi.useRealTimers());

test("a queue counts as empty only after nothing came for as long as others may have messages in hand", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.ask(1).foundEmpty();
  await heartbeat.heartbeat();
  expect(await signsIn(database.db)).toEqual({ polled: true, emptySecondsAgo: null });
  vi.advanceTimersByTime(6_000);
  heartbeat.ask(1).foundEmpty();
  await heartbeat.heartbeat();
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeLessThan(5);
});

test("a message ends the time in which a queue was empty: the next empty answer alone proves nothing", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.ask(1).foundEmpty();
  vi.advanceTimersByTime(6_000);
  heartbeat.foundSome();
  heartbeat.ask(1).foundEmpty();
  await heartbeat.heartbeat();
  expect(await signsIn(database.db)).toEqual({ polled: true, emptySecondsAgo: null });
});

test("a queue was empty when it was last asked, not when that is told", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.ask(1).foundEmpty();
  vi.advanceTimersByTime(6_000);
  heartbeat.ask(1).foundEmpty();
  vi.advanceTimersByTime(8_000);
  await heartbeat.heartbeat();
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeGreaterThan(8);
});

test("an answer that was read late says nothing of the time in which it lay there", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.ask(1).foundEmpty();
  const asking = heartbeat.ask(1);
  vi.advanceTimersByTime(9_000);
  asking.foundEmpty();
  await heartbeat.heartbeat();
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeGreaterThan(8);
});

test("who was stopped left what it was given meanwhile, and does not call a queue empty that it did not ask", async () => {
  const heartbeat = aHeartbeat();
  await heartbeat.heartbeat();
  heartbeat.ask(1).foundEmpty();
  vi.advanceTimersByTime(5_000);
  heartbeat.ask(1).foundEmpty();
  await heartbeat.heartbeat();
  expect(await consumersIn(database.db)).toMatchObject([ownRow]);
  await change(database.db, "update feedback_progress set queue_empty_at = null");
  vi.advanceTimersByTime(45_000);
  await heartbeat.heartbeat();
  expect(await consumersIn(database.db)).toMatchObject([leftRow, ownRow]);
  expect((await signsIn(database.db))?.emptySecondsAgo).toBeNull();
});

test("what could not be told while the database was away is told when it is back", async () => {
  const { db, away } = aDatabaseThatGoes(database.db);
  const heartbeat = aHeartbeat(db);
  heartbeat.foundSome();
  heartbeat.leftSome();
  away(true);
  await expect(heartbeat.heartbeat()).rejects.toThrow("away");
  expect(heartbeat.isFresh).toBe(false);
  away(false);
  await heartbeat.heartbeat();
  expect(heartbeat.isFresh).toBe(true);
  expect(await consumersIn(database.db)).toMatchObject([leftRow, ownRow]);
  expect(await signsIn(database.db)).toMatchObject({ polled: true });
});

test("what was told once is not told again", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.leftSome();
  await heartbeat.heartbeat();
  await change(database.db, "delete from feedback_consumers");
  await heartbeat.heartbeat();
  expect(await consumersIn(database.db)).toMatchObject([ownRow]);
});

function aHeartbeat(db = database.db as ConstructorParameters<typeof ConsumerHeartbeat>[0]["db"]) {
  return new ConsumerHeartbeat({ db, mode: "live", hiddenSeconds: 0.05, waitSeconds: 20 });
}
