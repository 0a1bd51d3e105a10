import { expect, test } from "vitest";
import { refuse, startScriptedServer } from "../test/scripted-server.ts";
import { withoutWaiting } from "../test/without-waiting.ts";
import { connect } from "./connect.ts";
import { unlessAborted, wait } from "./wait.ts";

test("a signal ends a wait, whether it aborts before or during the wait", async () => {
  const controller = new AbortController();
  const waiting = wait(3600, controller.signal);
  controller.abort();
  await waiting;
  await wait(3600, controller.signal);
});

test("a call aborted between two attempts makes no further attempt", async () => {
  const { url, requests } = await startScriptedServer(refuse(503, "UNAVAILABLE"));
  const controller = new AbortController();
  const timing = { ...withoutWaiting(), wait: async () => controller.abort() };
  const request = connect({ baseUrl: url, apiKey: "k" }, timing);
  const { error } = await request("GET /api/v1/account", {}, { options: { signal: controller.signal } });
  expect(error?.code).toBe("ABORTED");
  expect(requests).toHaveLength(1);
});

test("an abort ends the wait for running work and prevents new work", async () => {
  const controller = new AbortController();
  const endless = unlessAborted(() => new Promise<string>(() => undefined), controller.signal);
  expect(await unlessAborted(async () => "done", controller.signal)).toBe("done");
  await expect(unlessAborted(() => Promise.reject(new Error("no")), controller.signal)).rejects.toThrow("no");
  controller.abort();
  expect(await endless).toBeUndefined();
  let hasStarted = false;
  await unlessAborted(async () => {
    hasStarted = true;
  }, controller.signal);
  expect(hasStarted).toBe(false);
});
