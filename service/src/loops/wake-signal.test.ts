import { expect, test } from "vitest";
import { WakeSignal } from "./wake-signal.ts";

test("rest ends with the time, with a ring, and at once after a ring that came before", async () => {
  const alarm = new WakeSignal();
  await alarm.wait(1);
  const rest = alarm.wait(60_000);
  alarm.ring();
  await rest;
  alarm.ring();
  alarm.ring();
  await alarm.wait(60_000);
});

test("a ring is used up by the rest it ends", async () => {
  const alarm = new WakeSignal();
  alarm.ring();
  await alarm.wait(60_000);
  const began = performance.now();
  await alarm.wait(30);
  expect(performance.now() - began).toBeGreaterThan(25);
});
