import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a wait of the provider is shorter by the speed, a true time is not", () => {
  const clock = new Clock(100);
  const done: string[] = [];
  clock.whenDue(clock.dueIn(20), () => done.push("retry"));
  clock.at(clock.now() + 20_000, () => done.push("visible"));
  vi.advanceTimersByTime(199);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["retry"]);
  vi.advanceTimersByTime(19_800);
  expect(done).toEqual(["retry", "visible"]);
});

test("a wait that has begun follows a change of speed, both ways", () => {
  const clock = new Clock();
  const done: string[] = [];
  clock.whenDue(clock.dueIn(20), () => done.push("retry"));
  clock.at(clock.now() + 20_000, () => done.push("visible"));
  vi.advanceTimersByTime(10_000);
  clock.changeSpeed(100);
  vi.advanceTimersByTime(50);
  clock.changeSpeed(1);
  vi.advanceTimersByTime(4_999);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["retry"]);
});

test("a stopped clock acts no more", () => {
  const clock = new Clock();
  clock.whenDue(clock.dueIn(1), () => expect.unreachable());
  clock.stop();
  clock.at(clock.now(), () => expect.unreachable());
  vi.advanceTimersByTime(10_000);
});
