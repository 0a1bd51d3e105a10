import { expect, test } from "vitest";
import { WakeSignal } from "./wake-signal.ts";

test("a sleep ends after its time, on a wake, and immediately after an earlier wake", async () => {
  const signal = new WakeSignal();
  await signal.sleep(1);
  const sleeping = signal.sleep(60_000);
  signal.wake();
  await sleeping;
  signal.wake();
  signal.wake();
  await signal.sleep(60_000);
});

test("a wake ends one sleep only", async () => {
  const signal = new WakeSignal();
  signal.wake();
  await signal.sleep(60_000);
  const began = performance.now();
  await signal.sleep(30);
  expect(performance.now() - began).toBeGreaterThan(25);
});
