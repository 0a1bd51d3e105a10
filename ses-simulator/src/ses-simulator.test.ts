import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../test/a-folder.ts";
import { type SimulatorOptions, startSesSimulator } from "./ses-simulator.ts";

async function started(options: SimulatorOptions) {
  const simulator = await startSesSimulator(options);
  onTestFinished(() => simulator.stop());
  return simulator;
}

test("it starts without any option, on a free port, with a folder of its own", async () => {
  const [one, two] = [await started({}), await started({})];
  expect(one.port).not.toBe(two.port);
  expect(one.dataFolder).not.toBe(two.dataFolder);
  expect(existsSync(join(one.dataFolder, "ledger.ndjson"))).toBe(true);
});

test("a port that is taken is an error that leaves the folder free", async () => {
  const { port } = await started({});
  const dataFolder = aFolder();
  await expect(startSesSimulator({ port, dataFolder })).rejects.toThrow(/EADDRINUSE/);
  await started({ dataFolder });
});

test("a folder in use is refused", async () => {
  const { dataFolder } = await started({});
  await expect(startSesSimulator({ dataFolder })).rejects.toThrow(/already uses the data folder/);
});

test("queue and confirmation addresses start with the public address it was given", async () => {
  const simulator = await started({ publicUrl: "http://ses-simulator.internal:4579" });
  expect(simulator.url).toBe("http://ses-simulator.internal:4579");
  expect(simulator.certificateUrl).toMatch(/^http:\/\/ses-simulator.internal:4579\/SimpleNotificationService-/);
});
