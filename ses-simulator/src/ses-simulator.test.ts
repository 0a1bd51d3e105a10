import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../test/a-folder.ts";
import { type SimulatorOptions, startSesSimulator } from "./ses-simulator.ts";

async function start(options: SimulatorOptions) {
  const simulator = await startSesSimulator(options);
  onTestFinished(() => simulator.stop());
  return simulator;
}

test("without options, the simulator starts on a free port with a data folder of its own", async () => {
  const [one, two] = [await start({}), await start({})];
  expect(one.port).not.toBe(two.port);
  expect(one.dataFolder).not.toBe(two.dataFolder);
  expect(existsSync(join(one.dataFolder, "ledger.ndjson"))).toBe(true);
});

test("a start on a port in use fails and leaves the data folder unlocked", async () => {
  const { port } = await start({});
  const dataFolder = aFolder();
  await expect(startSesSimulator({ port, dataFolder })).rejects.toThrow(/EADDRINUSE/);
  await start({ dataFolder });
});

test("a start with a data folder in use fails", async () => {
  const { dataFolder } = await start({});
  await expect(startSesSimulator({ dataFolder })).rejects.toThrow(/already uses the data folder/);
});

test("the simulator URL and the certificate URL start with the given public URL", async () => {
  const simulator = await start({ publicUrl: "http://ses-simulator.internal:4579" });
  expect(simulator.url).toBe("http://ses-simulator.internal:4579");
  expect(simulator.certificateUrl).toMatch(/^http:\/\/ses-simulator.internal:4579\/SimpleNotificationService-/);
});
