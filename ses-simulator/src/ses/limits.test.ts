import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { defaults } from "../settings.ts";
import { openSimulation } from "../simulation.ts";
import { createConfigurationSet } from "./configuration-set-operations.ts";
import { createEmailIdentity } from "./identity-operations.ts";
import type { Json } from "./read-json.ts";

async function aSimulation() {
  const simulation = await openSimulation({ ...defaults, dataFolder: aFolder() }, new AbortController().signal);
  onTestFinished(() => simulation.close());
  return simulation;
}

const request = (body: Json) => ({ params: [], query: new URLSearchParams(), body, requestId: "r" });

test("an account holds at most 10,000 identities", async () => {
  const simulation = await aSimulation();
  const create = (number: number) => createEmailIdentity(simulation, request({ EmailIdentity: `d${number}.test` }));
  for (let number = 1; number <= 10_000; number++) create(number);
  expect(() => create(10_001)).toThrow(expect.objectContaining({ name: "LimitExceededException" }));
});

test("an account holds at most 10,000 configuration sets", async () => {
  const simulation = await aSimulation();
  const create = (number: number) =>
    createConfigurationSet(simulation, request({ ConfigurationSetName: `set-${number}` }));
  for (let number = 1; number <= 10_000; number++) create(number);
  expect(() => create(10_001)).toThrow(expect.objectContaining({ name: "LimitExceededException" }));
});
