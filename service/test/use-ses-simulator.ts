import { rmSync } from "node:fs";
import { type SesSimulator, type SimulatorOptions, startSesSimulator } from "@postern/ses-simulator";
import { afterAll, beforeAll } from "vitest";

/** A simulator for one test file, with `shop.test` verified. Stopping it removes its data folder. */
export function useSesSimulator(options: SimulatorOptions = {}) {
  let started: SesSimulator | undefined;
  beforeAll(async () => {
    started = await startSesSimulator({ verifiedIdentities: ["shop.test"], maxSendRate: 10_000, ...options });
  });
  afterAll(async () => {
    await started?.stop();
    if (started !== undefined) rmSync(started.dataFolder, { recursive: true, force: true });
  });
  const simulator = (): SesSimulator => {
    if (started === undefined) throw new Error("the simulator is not running");
    return started;
  };
  return {
    get simulator() {
      return simulator();
    },
    get url() {
      return simulator().url;
    },
    get region() {
      return simulator().region;
    },
    /** Calls `/_simulator/<path>` and returns its JSON. */
    async control(method: string, path: string, body?: unknown) {
      const response = await fetch(`${simulator().url}/_simulator/${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      // Tests read only the members they expect; a missing member fails the test.
      // biome-ignore lint/suspicious/noExplicitAny: see above
      return (await response.json()) as any;
    },
  };
}
