import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type * as sdk from "../../sdk/src/postern.ts";
import { installPackage, type Project } from "../../sdk/test/install-package.ts";
import { programsOf } from "../../sdk/test/readme-programs.ts";
import { aDevFolder, type DevRun, startDev, untilNoneIn } from "../test/dev-run.ts";
import { openTestDatabase } from "../test/template-database.ts";
import { startCuttingProxy } from "./proxies/cutting-proxy.ts";
import { createDice } from "./seeded-random.ts";
import { inParallel } from "./sends/sending-client.ts";

const seed = 20_261_115;
const shareCut = 20;
const readme = readFileSync(new URL("../../sdk/README.md", import.meta.url), "utf8");

export const proof: Proof = {
  promise:
    "Every SDK example runs against `postern dev`, and with a fifth of the answers lost the SDK creates one send per mail",
  covers: ["sdk/README.md", "sdk/src", "service/src/accept", "service/src/api", "service/src/dev"],
  size: { small: 30, full: 1_000 },
  run: async (size, { progress }) => {
    const folder = aDevFolder();
    const project = installPackage();
    const dev = startDev(folder);
    try {
      const settings = await settingsOf(dev, folder);
      await allowMany(settings);
      progress("`postern dev` is ready");
      const failed = await runExamples(project, settings);
      const flaky = await sendThroughLosses(project, settings, size, progress);
      const { records, unknown, cuts, repeated } = flaky;
      return {
        figure:
          `${programsOf(readme).length} examples of the SDK against \`postern dev\`, ${failed.length} failed${failed.map((each) => ` (${each})`).join("")}; ` +
          `${size} mails with ${cuts} answers lost after the commit (${shareCut} %, seed ${seed}): ${records} records, ` +
          `${unknown} of them unknown to the caller, ${repeated} calls ended in an error and were repeated with their key`,
        holds: failed.length === 0 && records === size && unknown === 0 && cuts > size / 10,
      };
    } finally {
      dev.pressCtrlC();
      await dev.exited;
      await untilNoneIn(folder);
      for (const path of [folder, project.folder]) rmSync(path, { recursive: true, force: true });
    }
  },
};

type Settings = Record<string, string>;

/** The settings that `postern dev` writes for shells, once the seeded domain is verified. */
async function settingsOf(dev: DevRun, folder: string): Promise<Settings> {
  await dev.shows("live mail from");
  const values = parseEnv(readFileSync(join(folder, ".postern/env"), "utf8").replaceAll(/^export /gm, ""));
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? ""]));
}

/** 1,000 mails at the published 100 a minute would take ten minutes. */
async function allowMany({ DATABASE_URL = "" }: Settings): Promise<void> {
  const db = openTestDatabase(DATABASE_URL);
  const text = `update accounts set limit_per_second = 1000, limit_per_10_seconds = 10000, limit_per_minute = 60000`;
  await db.query({ name: "allow-many", text });
  await db.close();
}

/**
 * Runs each example as printed and returns the failed ones. The tests of the package compare the output with the README; here it
 * depends on other data.
 */
async function runExamples(project: Project, settings: Settings): Promise<string[]> {
  const env = { ...settings, POSTERN_API_KEY: settings.POSTERN_LIVE_KEY ?? "" };
  const failed: string[] = [];
  for (const program of programsOf(readme)) {
    project.write("example.ts", program.text);
    await project
      .run("example.ts", { env })
      .catch((error: unknown) => failed.push(`${program.name}: ${String(error)}`));
  }
  return failed;
}

async function sendThroughLosses(project: Project, settings: Settings, size: number, progress: ProofTools["progress"]) {
  const { POSTERN_URL: url = "", POSTERN_API_KEY: apiKey = "" } = settings;
  const { Postern }: typeof sdk = await import(join(project.packageFolder, "dist/postern.js"));
  const dice = createDice(seed);
  const proxy = await startCuttingProxy(url, () => dice.roll(100) < shareCut);
  const postern = new Postern({ baseUrl: proxy.url, apiKey });
  const known = new Set<string>();
  let repeated = 0;
  const send = async (number: number, idempotency_key?: string): Promise<void> => {
    const mail = { from: "hello@sandbox.test", to: [`to-${number}@example.com`], subject: "flaky", text: "Hello" };
    const { data, error } = await postern.send({ ...mail, ...(idempotency_key !== undefined && { idempotency_key }) });
    if (data !== null) return void known.add(data.id);
    repeated += 1;
    await send(number, error.idempotencyKey);
  };
  await inParallel(Array(size).keys(), 16, async (number) => {
    await send(number);
    progress(`${known.size} of ${size} mails known to be accepted`);
  });
  await proxy.close();

  const direct = new Postern({ baseUrl: url, apiKey });
  let [records, unknown] = [0, 0];
  for await (const { id, subject } of direct.sends.each()) {
    if (subject !== "flaky") continue;
    records += 1;
    if (!known.has(id)) unknown += 1;
  }
  return { records, unknown, cuts: proxy.cuts(), repeated };
}
