import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { createCredentialSource } from "./credential-source.ts";

const minuteMs = 60_000;

/** Loads that the test answers, and a clock that it moves on. */
function aSource() {
  const loads: PromiseWithResolvers<ReturnType<typeof credentials>>[] = [];
  let now = 0;
  const load = createCredentialSource(
    () => () => {
      const started = Promise.withResolvers<ReturnType<typeof credentials>>();
      loads.push(started);
      return started.promise;
    },
    () => now,
  );
  const pass = (ms: number) => {
    now += ms;
  };
  return { load: () => load(), loads, pass };
}

function credentials(accessKeyId: string, endsInMinutes?: number) {
  const expiration = endsInMinutes === undefined ? {} : { expiration: new Date(Date.now() + endsInMinutes * minuteMs) };
  return { accessKeyId, secretAccessKey: "secret", ...expiration };
}

test("a load that never ends is repeated after a minute, and the second answer counts for both callers", async () => {
  const { load, loads, pass } = aSource();
  const first = load();
  pass(minuteMs / 2);
  const second = load();
  expect(loads).toHaveLength(1);
  pass(minuteMs);
  const third = load();
  expect(loads).toHaveLength(2);
  loads[1]?.resolve(credentials("new"));
  for (const each of [first, second, third]) expect(await each).toMatchObject({ accessKeyId: "new" });
});

test("a late answer of an old load counts", async () => {
  const { load, loads, pass } = aSource();
  void load();
  pass(2 * minuteMs);
  const waiting = load();
  loads[0]?.resolve(credentials("late"));
  expect(await waiting).toMatchObject({ accessKeyId: "late" });
  expect(await load()).toMatchObject({ accessKeyId: "late" });
  expect(loads).toHaveLength(2);
});

test("a refresh that hangs does not stop credentials that are still valid", async () => {
  const { load, loads } = aSource();
  const first = load();
  loads[0]?.resolve(credentials("ending", 4));
  await first;
  expect(await load()).toMatchObject({ accessKeyId: "ending" });
  expect(loads).toHaveLength(2);
  loads[1]?.resolve(credentials("refreshed", 60));
  await tick();
  expect(await load()).toMatchObject({ accessKeyId: "refreshed" });
  expect(loads).toHaveLength(2);
});

test("credentials that end within a minute are not used while their refresh hangs", async () => {
  const { load, loads } = aSource();
  const first = load();
  loads[0]?.resolve(credentials("ending", 0.5));
  await first;
  const second = load();
  loads[1]?.resolve(credentials("refreshed", 60));
  expect(await second).toMatchObject({ accessKeyId: "refreshed" });
});

test("a failed load is reported, also while an older one hangs, and the next call loads again", async () => {
  const { load, loads, pass } = aSource();
  void load();
  pass(2 * minuteMs);
  const failing = load();
  loads[1]?.reject(new Error("no such profile"));
  await expect(failing).rejects.toThrow("no such profile");
  pass(minuteMs);
  void load();
  expect(loads).toHaveLength(3);
});

test("a source that hangs for a day has few unanswered loads", () => {
  const { load, loads, pass } = aSource();
  for (let minute = 0; minute < 24 * 60; minute++) {
    void load();
    pass(minuteMs + 1);
  }
  expect(loads.length).toBeGreaterThan(10);
  expect(loads.length).toBeLessThan(25);
});

test("credentials without an end are loaded once", async () => {
  const { load, loads, pass } = aSource();
  const first = load();
  loads[0]?.resolve(credentials("key"));
  await first;
  pass(24 * 60 * minuteMs);
  expect(await load()).toMatchObject({ accessKeyId: "key" });
  expect(loads).toHaveLength(1);
});
