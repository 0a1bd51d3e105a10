import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the speed shortens a provider delay and leaves a real-time delay unchanged", () => {
  const clock = new Clock(100);
  const done: string[] = [];
  clock.runWhenDue(clock.dueIn(20), () => done.push("retry"));
  clock.runAt(clock.now() + 20_000, () => done.push("visible"));
  vi.advanceTimersByTime(199);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["retry"]);
  vi.advanceTimersByTime(19_800);
  expect(done).toEqual(["retry", "visible"]);
});

test("a change of speed rescales a running provider delay in both directions", () => {
  const clock = new Clock();
  const done: string[] = [];
  clock.runWhenDue(clock.dueIn(20), () => done.push("retry"));
  clock.runAt(clock.now() + 20_000, () => done.push("visible"));
  vi.advanceTimersByTime(10_000);
  clock.changeSpeed(100);
  vi.advanceTimersByTime(50);
  clock.changeSpeed(1);
  vi.advanceTimersByTime(4_999);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["retry"]);
});

test("a stopped clock runs no further action", () => {
  const clock = new Clock();
  clock.runWhenDue(clock.dueIn(1), () => expect.unreachable());
  clock.stop();
  clock.runAt(clock.now(), () => expect.unreachable());
  vi.advanceTimersByTime(10_000);
});
