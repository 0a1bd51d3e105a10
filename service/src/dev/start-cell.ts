import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { consoleFolder, isConsoleBuilt } from "../api/http/console/console-files.ts";
import { readConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { proofOf } from "../domains/domain.ts";
import { findChallengeTokens } from "../domains/domain-store.ts";
import { findMailFromRecords } from "../domains/mail-from/mail-from-store.ts";
import { AppError } from "../errors.ts";
import { cellEnvironment, simulatorRegion } from "./cell-environment.ts";
import type { DevProcesses } from "./dev-processes.ts";
import { startDnsServer } from "./dns-server.ts";
import { type PostgresBinaries, unprivilegedUser } from "./postgres/embedded-postgres.ts";
import { preparePostgresFolder } from "./postgres/postgres-folder.ts";
import { prepareDatabase, serviceUrl } from "./postgres/prepare-database.ts";
import { reservePort } from "./reserve-port.ts";
import { type SeededAccount, seedAccount } from "./seed-account.ts";
import type { Progress } from "./show-progress.ts";
import type { SimulatorProcessOptions } from "./simulator-process.ts";
import { type DevSettings, type StateFolder, writeAtomically, writeSettings } from "./state-folder.ts";
import { type Addresses, shellSettings } from "./welcome-text.ts";

export interface DevContext {
  state: StateFolder;
  settings: DevSettings;
  binaries: PostgresBinaries;
  processes: DevProcesses;
  progress: Progress;
  /** The file behind the command `postern`. */
  posternFile: string;
  /** Undefined: 3000, or the next free port when 3000 is in use. */
  port: number | undefined;
  /** Called in reverse order after the processes have stopped. */
  closers: (() => void | Promise<void>)[];
}

/** Each group uses the groups after it, so it stops before them. */
export const stopOrder = [["api", "worker", "migrate", "aws-setup"], ["simulator"], ["postgres"]];

export interface Cell {
  db: Database;
  account: SeededAccount;
  addresses: Addresses;
}

type Environment = Record<string, string>;

const usualPorts = { api: 3000, simulator: 4579, database: 5499 };
const dkimZone = "dkim.amazonses.com";

/** Every step can be repeated: it uses what an earlier run created, and completes what an interrupted run left unfinished. */
export async function startCell(context: DevContext): Promise<Cell> {
  const { settings, state, closers } = context;
  const ports = {
    api: await chooseApiPort(context),
    database: await choosePort(context, usualPorts.database),
    simulator: await choosePort(context, usualPorts.simulator),
  };
  const databaseUrl = serviceUrl(ports.database, settings.databasePassword);
  const simulatorUrl = `http://127.0.0.1:${ports.simulator}`;
  const applicationName = "postern-dev";
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName, onIdleError: () => undefined });
  const dns = await startDnsServer({
    dkimZone,
    findProofs: (name) => findProofs(db, simulatorUrl, name),
    findMailFromRecords: (name) => findMailFromRecords(db, name),
  });
  closers.push(
    () => db.close(),
    () => dns.close(),
  );
  const env = cellEnvironment(settings, { databaseUrl, simulatorUrl, dnsAddress: dns.address, apiPort: ports.api });

  const [account, feedback] = await Promise.all([
    startDatabase(context, ports.database)
      .then(() => migrate(context, env))
      .then(() => seed(context, db, env)),
    startSimulator(context, ports.simulator, env).then(() => setUpAws(context, env)),
  ]);
  const [{ address }] = await Promise.all([
    startService(context, "api", { ...env, ...feedback }),
    startService(context, "worker", { ...env, ...feedback }),
  ]);
  const addresses = { apiUrl: String(address), simulatorUrl, hasConsole: isConsoleBuilt(consoleFolder) };
  writeAtomically(state.env, shellSettings(addresses, account, { ...env, ...feedback }));
  return { db, account, addresses };
}

async function chooseApiPort(context: DevContext): Promise<number> {
  const preferred = context.port ?? usualPorts.api;
  const free = await choosePort(context, preferred);
  if (free === preferred) return preferred;
  if (context.port !== undefined)
    throw new AppError("CONFLICT", `Port ${context.port} is in use. Choose another port: --port N`);
  context.progress.say(`  Port ${preferred} is in use, so the API listens on port ${free}.`);
  return free;
}

async function choosePort({ closers }: DevContext, preferred: number): Promise<number> {
  const { port, release } = await reservePort(preferred);
  closers.push(release);
  return port;
}

/**
 * The worker looks up the proof first and asks SES for the DKIM status right after. The simulated SES checks DKIM only from
 * time to time, so this lookup makes it check before the proof is answered: the domain is then verified in one pass.
 */
async function findProofs(db: Database, simulatorUrl: string, domainName: string): Promise<string[]> {
  const tokens = await findChallengeTokens(db, domainName);
  const path = `/_simulator/identities/${encodeURIComponent(domainName)}/verification`;
  if (tokens.length > 0) await fetch(simulatorUrl + path, { method: "POST", body: '{"status":"CHECK"}' });
  return tokens.map(proofOf);
}

function startDatabase({ state, settings, binaries, processes, progress }: DevContext, port: number): Promise<void> {
  return progress.step("database", async () => {
    const installation = preparePostgresFolder(state, binaries, unprivilegedUser());
    if (installation.folder !== state.postgres) {
      progress.say(
        "  PostgreSQL cannot run as root, and its user may not enter this folder. Its data is in another one:\n" +
          `  ${installation.folder}`,
      );
    }
    const options = { ...installation, port, password: settings.databasePassword };
    await processes.start({ name: "postgres", command: [fileOf("postgres/postgres-process")], options, isQuiet: true });
    await prepareDatabase(port, settings.databasePassword);
  });
}

function migrate({ processes, progress, posternFile }: DevContext, env: Environment): Promise<string> {
  return progress.step("schema", () => processes.run({ name: "migrate", command: [posternFile, "migrate"], env }));
}

function seed({ state, settings, progress }: DevContext, db: Database, env: Environment): Promise<SeededAccount> {
  const { cellCode, secrets } = readConfig(env);
  const save = (created: Partial<DevSettings>) => writeSettings(state, Object.assign(settings, created));
  const issuer = { pepper: secrets.apiKeyPepper.current, cellCode };
  return progress.step("account", () => seedAccount(db, issuer, settings, save));
}

function startSimulator({ state, processes, progress }: DevContext, port: number, environment: Environment) {
  const aws = { region: simulatorRegion, signingHostedZone: dkimZone };
  const simulator = { port, dnsServer: environment.DNS_SERVERS ?? "", dataFolder: state.simulator, ...aws };
  const options: SimulatorProcessOptions = { simulator, environment };
  const spec = { name: "simulator", command: [fileOf("simulator-process")], options };
  return progress.step("simulator", () => processes.start(spec));
}

/** `postern aws setup` prints the settings for the resources it created as lines for a .env file. */
function setUpAws({ processes, progress, posternFile }: DevContext, env: Environment): Promise<Environment> {
  return progress.step("SES set-up", async () => {
    const printed = await processes.run({ name: "aws-setup", command: [posternFile, "aws", "setup"], env });
    const { AWS_FEEDBACK_TOPIC_ARN = "", AWS_FEEDBACK_QUEUE_URL = "" } = parseEnv(printed);
    return { AWS_FEEDBACK_TOPIC_ARN, AWS_FEEDBACK_QUEUE_URL };
  });
}

function startService({ processes, progress, posternFile }: DevContext, name: "api" | "worker", env: Environment) {
  return progress.step(name, () => processes.start({ name, command: [posternFile, name], env }));
}

function fileOf(name: "postgres/postgres-process" | "simulator-process"): string {
  return fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
}
