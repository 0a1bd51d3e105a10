import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stopClock } from "../../test/fake-clock.ts";
import {
  aDatabaseWithOutages,
  consumersIn,
  leftConsumer,
  liveConsumer,
  readProgress,
} from "../../test/feedback-consumer-fixture.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ConsumerHeartbeat } from "./consumer-heartbeat.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await change(database.db, "delete from feedback_consumers");
  await change(database.db, "update feedback_progress set polled_at = null, queue_empty_at = null");
  stopClock();
});
afterEach(() => void vi.useRealTimers());

test("a queue counts as empty only after every receive of a whole visibility timeout found nothing", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.startReceive(1).foundEmpty();
  await heartbeat.send();
  expect(await readProgress(database.db)).toEqual({ polled: true, emptySecondsAgo: null });
  vi.advanceTimersByTime(6_000);
  heartbeat.startReceive(1).foundEmpty();
  await heartbeat.send();
  expect((await readProgress(database.db))?.emptySecondsAgo).toBeLessThan(5);
});

test("a received message ends the empty time: the next empty receive alone proves nothing", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.startReceive(1).foundEmpty();
  vi.advanceTimersByTime(6_000);
  heartbeat.foundMessages();
  heartbeat.startReceive(1).foundEmpty();
  await heartbeat.send();
  expect(await readProgress(database.db)).toEqual({ polled: true, emptySecondsAgo: null });
});

test("the queue was empty at the last receive, not at the heartbeat that reports it", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.startReceive(1).foundEmpty();
  vi.advanceTimersByTime(6_000);
  heartbeat.startReceive(1).foundEmpty();
  vi.advanceTimersByTime(8_000);
  await heartbeat.send();
  expect((await readProgress(database.db))?.emptySecondsAgo).toBeGreaterThan(8);
});

test("an empty answer that is read late counts from its latest possible time, not from now", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.startReceive(1).foundEmpty();
  const receive = heartbeat.startReceive(1);
  vi.advanceTimersByTime(9_000);
  receive.foundEmpty();
  await heartbeat.send();
  expect((await readProgress(database.db))?.emptySecondsAgo).toBeGreaterThan(8);
});

test("a suspended consumer has left its messages and does not report a queue as empty that it did not poll", async () => {
  const heartbeat = aHeartbeat();
  await heartbeat.send();
  heartbeat.startReceive(1).foundEmpty();
  vi.advanceTimersByTime(5_000);
  heartbeat.startReceive(1).foundEmpty();
  await heartbeat.send();
  expect(await consumersIn(database.db)).toMatchObject([liveConsumer]);
  await change(database.db, "update feedback_progress set queue_empty_at = null");
  vi.advanceTimersByTime(45_000);
  await heartbeat.send();
  expect(await consumersIn(database.db)).toMatchObject([leftConsumer, liveConsumer]);
  expect((await readProgress(database.db))?.emptySecondsAgo).toBeNull();
});

test("the heartbeat after an outage of the database also reports the receives and left messages of the failed one", async () => {
  const { db, setDown } = aDatabaseWithOutages(database.db);
  const heartbeat = aHeartbeat(db);
  heartbeat.foundMessages();
  heartbeat.leftMessages();
  setDown(true);
  await expect(heartbeat.send()).rejects.toThrow("down");
  expect(heartbeat.isFresh).toBe(false);
  setDown(false);
  await heartbeat.send();
  expect(heartbeat.isFresh).toBe(true);
  expect(await consumersIn(database.db)).toMatchObject([leftConsumer, liveConsumer]);
  expect(await readProgress(database.db)).toMatchObject({ polled: true });
});

test("a heartbeat reports left messages once", async () => {
  const heartbeat = aHeartbeat();
  heartbeat.leftMessages();
  await heartbeat.send();
  await change(database.db, "delete from feedback_consumers");
  await heartbeat.send();
  expect(await consumersIn(database.db)).toMatchObject([liveConsumer]);
});

function aHeartbeat(db = database.db as ConstructorParameters<typeof ConsumerHeartbeat>[0]["db"]) {
  return new ConsumerHeartbeat({ db, mode: "live", visibilityTimeoutSeconds: 0.05, waitSeconds: 20 });
}
