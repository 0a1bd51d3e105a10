import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseEnv, promisify } from "node:util";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Environment } from "../../service/src/config.ts";
import { startKnot } from "../../service/test/knot-server.ts";
import { posternPath, spawnPostern } from "../../service/test/spawn-postern.ts";
import { createEmptyDatabase } from "../../service/test/template-database.ts";
import { anEnvironment } from "../../service/test/test-config.ts";

const zone = "io";
const run = promisify(execFile);

export interface Deployment {
  url: string;
  simulatorUrl: string;
  databaseUrl: string;
  createAccount(email: string): Promise<{ email: string; password: string }>;
  /** Publishes records on the DNS server of the deployment. */
  publish(name: string, ...records: string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the whole system as an operator does: the real commands, an API process, a worker process, a DNS server and the simulator. */
export async function startDeployment(serverUrl: string): Promise<Deployment> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanups.toReversed()) await cleanUp();
  };
  try {
    const database = await createEmptyDatabase(serverUrl);
    cleanups.push(database.drop);
    const knot = await startKnot(zone);
    cleanups.push(knot.stop);
    const simulator = await startSesSimulator({ dnsServer: knot.address });
    cleanups.push(async () => {
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    });

    const settings = settingsFor(database.url, simulator, knot.address);
    const postern = commandLine(settings);
    await postern("migrate");
    const environment = { ...settings, ...parseSettings(await postern("aws", "setup")) };
    for (const role of ["worker", "api"] as const) {
      const child = await spawnPostern(role, environment);
      cleanups.push(async () => {
        child.kill("SIGTERM");
        await child.exited;
      });
      if (role === "worker") continue;
      await waitUntilReady(child.url);
      return {
        url: child.url,
        simulatorUrl: simulator.url,
        databaseUrl: database.url,
        createAccount: async (email) => {
          const output = await postern("admin", "create-account", "--name", "Acceptance", "--email", email);
          return { email, password: /^Password (\S+)$/m.exec(output)?.[1] ?? "" };
        },
        publish: knot.publish,
        stop,
      };
    }
    throw new Error("the API did not start");
  } catch (error) {
    await stop();
    throw error;
  }
}

function settingsFor(databaseUrl: string, simulator: { url: string; region: string }, dns: string): Environment {
  return anEnvironment({
    DATABASE_URL: databaseUrl,
    DNS_SERVERS: dns,
    AWS_REGION: simulator.region,
    AWS_ENDPOINT_URL_SESV2: simulator.url,
    AWS_ENDPOINT_URL_SNS: simulator.url,
    AWS_ENDPOINT_URL_SQS: simulator.url,
    AWS_ACCESS_KEY_ID: "simulator",
    AWS_SECRET_ACCESS_KEY: "simulator",
    LOG_LEVEL: "info",
  });
}

function commandLine(settings: Environment) {
  // The folder has no .env, so only these settings apply.
  const cwd = mkdtempSync(join(tmpdir(), "postern-acceptance-"));
  return async (...args: string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [posternPath, ...args], { cwd, env: { ...settings } });
    return stdout;
  };
}

function parseSettings(output: string): Environment {
  return parseEnv(output.slice(output.indexOf("AWS_FEEDBACK_TOPIC_ARN=")));
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await fetch(`${url}/readyz`)).ok) return;
    await pause(100);
  }
  throw new Error("the API did not become ready within 20 seconds");
}
