import { expect, test } from "vitest";
import { refuse, startScriptedServer } from "../test/scripted-server.ts";
import { withoutWaiting } from "../test/without-waiting.ts";
import { connect } from "./connect.ts";
import { unlessAborted, wait } from "./wait.ts";

test("the signal ends a wait, whether it comes before or after its beginning", async () => {
  const controller = new AbortController();
  const waiting = wait(3600, controller.signal);
  controller.abort();
  await waiting;
  await wait(3600, controller.signal);
});

test("a call that is aborted while it waits for its next attempt makes none", async () => {
  const { url, requests } = await startScriptedServer(refuse(503, "UNAVAILABLE"));
  const controller = new AbortController();
  const timing = { ...withoutWaiting(), wait: async () => controller.abort() };
  const ask = connect({ baseUrl: url, apiKey: "k" }, timing);
  const { error } = await ask("GET /api/v1/account", {}, { options: { signal: controller.signal } });
  expect(error?.code).toBe("ABORTED");
  expect(requests).toHaveLength(1);
});

test("work that the signal overtakes is not waited for, and work that is not wanted is not begun", async () => {
  const controller = new AbortController();
  const endless = unlessAborted(() => new Promise<string>(() => undefined), controller.signal);
  expect(await unlessAborted(async () => "done", controller.signal)).toBe("done");
  await expect(unlessAborted(() => Promise.reject(new Error("no")), controller.signal)).rejects.toThrow("no");
  controller.abort();
  expect(await endless).toBeUndefined();
  let isBegun = false;
  await unlessAborted(async () => {
    isBegun = true;
  }, controller.signal);
  expect(isBegun).toBe(false);
});
