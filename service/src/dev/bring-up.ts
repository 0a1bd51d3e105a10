import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { readConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { proofOf } from "../domains/domain.ts";
import { findChallengeTokens } from "../domains/domain-store.ts";
import { AppError } from "../errors.ts";
import { cellEnvironment, simulatorRegion } from "./cell-environment.ts";
import { startDnsServer } from "./dns-server.ts";
import { freePort, type PostgresBinaries, unprivilegedUser } from "./embedded-postgres.ts";
import type { Parts } from "./parts.ts";
import { findPostgresHome } from "./postgres-home.ts";
import { prepareDatabase, serviceUrl } from "./prepare-database.ts";
import { type SeededAccount, seedAccount } from "./seed-account.ts";
import type { Progress } from "./show-progress.ts";
import { type DevSettings, type StateFolder, writeSettings, writeWhole } from "./state-folder.ts";
import { type Addresses, shellSettings } from "./welcome-text.ts";

export interface Stage {
  state: StateFolder;
  settings: DevSettings;
  binaries: PostgresBinaries;
  parts: Parts;
  progress: Progress;
  /** The file behind the command `postern`. */
  posternFile: string;
  /** Undefined: 3000 or, where that is taken, any. */
  port: number | undefined;
  /** Closed, last first, when everything stops. */
  closers: (() => void | Promise<void>)[];
}

/** Those that use others before those that are used. */
export const stopOrder = [["api", "worker", "migrate", "aws-setup"], ["simulator"], ["postgres"]];

export interface Cell {
  db: Database;
  account: SeededAccount;
  addresses: Addresses;
}

type Environment = Record<string, string>;

const usualPorts = { api: 3000, simulator: 4579 };
const dkimZone = "dkim.amazonses.com";

/** Each step finds what an earlier run left, finished or not, and goes on from there. */
export async function bringUp(stage: Stage): Promise<Cell> {
  const { settings, state, closers } = stage;
  const ports = {
    api: await apiPort(stage),
    database: await freePort(),
    simulator: await freePort(usualPorts.simulator),
  };
  const databaseUrl = serviceUrl(ports.database, settings.databasePassword);
  const simulatorUrl = `http://127.0.0.1:${ports.simulator}`;
  const db = openDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: "postern-dev",
    onIdleError: () => undefined,
  });
  const dns = await startDnsServer({ dkimZone, findProofs: (name) => findProofs(db, simulatorUrl, name) });
  closers.push(
    () => db.close(),
    () => dns.close(),
  );
  const env = cellEnvironment(settings, { databaseUrl, simulatorUrl, dnsAddress: dns.address, apiPort: ports.api });

  const [account, feedback] = await Promise.all([
    startDatabase(stage, ports.database)
      .then(() => migrate(stage, env))
      .then(() => seed(stage, db, env)),
    startSimulator(stage, ports.simulator, dns.address).then(() => setUpAws(stage, env)),
  ]);
  const [{ address }] = await Promise.all([
    startService(stage, "api", { ...env, ...feedback }),
    startService(stage, "worker", { ...env, ...feedback }),
  ]);
  const addresses = { apiUrl: String(address), simulatorUrl, databaseUrl };
  writeWhole(state.env, shellSettings(addresses, account));
  return { db, account, addresses };
}

async function apiPort({ port, progress }: Stage): Promise<number> {
  const wish = port ?? usualPorts.api;
  const free = await freePort(wish);
  if (free === wish) return wish;
  if (port !== undefined) throw new AppError("CONFLICT", `Port ${port} is taken. Choose another one: --port N`);
  progress.say(`  Port ${wish} is taken, so the API gets ${free}.`);
  return free;
}

/**
 * Postern asks for the proof first and for DKIM at SES right after. SES would take its time to look; so it looks before the
 * answer leaves, and the domain is verified at once.
 */
async function findProofs(db: Database, simulatorUrl: string, domainName: string): Promise<string[]> {
  const tokens = await findChallengeTokens(db, domainName);
  const path = `/_simulator/identities/${encodeURIComponent(domainName)}/verification`;
  if (tokens.length > 0) await fetch(simulatorUrl + path, { method: "POST", body: '{"status":"CHECK"}' });
  return tokens.map(proofOf);
}

function startDatabase({ state, settings, binaries, parts, progress }: Stage, port: number): Promise<void> {
  return progress.step("database", async () => {
    const home = findPostgresHome(state, binaries, unprivilegedUser());
    if (home.folder !== state.postgres) {
      progress.say(`  PostgreSQL does not run as root, and others cannot enter this folder: it is in ${home.folder}`);
    }
    const plan = { ...home, port, password: settings.databasePassword };
    await parts.start({ name: "postgres", command: [entry("postgres-guard")], message: plan, isQuiet: true });
    await prepareDatabase(port, settings.databasePassword);
  });
}

function migrate({ parts, progress, posternFile }: Stage, env: Environment): Promise<string> {
  return progress.step("schema", () => parts.run({ name: "migrate", command: [posternFile, "migrate"], env }));
}

function seed({ state, settings, progress }: Stage, db: Database, env: Environment): Promise<SeededAccount> {
  const { cellCode, secrets } = readConfig(env);
  const note = (made: Partial<DevSettings>) => writeSettings(state, Object.assign(settings, made));
  const press = { pepper: secrets.apiKeyPepper.current, cellCode };
  return progress.step("account", () => seedAccount(db, press, settings, note));
}

function startSimulator({ state, parts, progress }: Stage, port: number, dnsServer: string) {
  const message = {
    port,
    dnsServer,
    dataFolder: state.simulator,
    region: simulatorRegion,
    signingHostedZone: dkimZone,
  };
  return progress.step("simulator", () => parts.start({ name: "simulator", command: [entry("simulator")], message }));
}

/** It prints the settings it made as lines for a .env file. */
function setUpAws({ parts, progress, posternFile }: Stage, env: Environment): Promise<Environment> {
  return progress.step("SES set-up", async () => {
    const printed = await parts.run({ name: "aws-setup", command: [posternFile, "aws", "setup"], env });
    const { AWS_FEEDBACK_TOPIC_ARN = "", AWS_FEEDBACK_QUEUE_URL = "" } = parseEnv(printed);
    return { AWS_FEEDBACK_TOPIC_ARN, AWS_FEEDBACK_QUEUE_URL };
  });
}

function startService({ parts, progress, posternFile }: Stage, name: "api" | "worker", env: Environment) {
  return progress.step(name, () => parts.start({ name, command: [posternFile, name], env }));
}

function entry(name: "postgres-guard" | "simulator"): string {
  return fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
}
