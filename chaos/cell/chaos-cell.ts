import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tellOnly } from "../../service/proofs/reported-events.ts";
import { makeSenders, senderDomain, type TestSender } from "../../service/proofs/sending-client.ts";
import { type Environment, readConfig } from "../../service/src/config.ts";
import type { Database } from "../../service/src/db/database.ts";
import { migrate } from "../../service/src/db/migrate.ts";
import { migrateChores } from "../../service/src/loops/chores.ts";
import { type CredentialDeps, createCredentialDeps } from "../../service/src/processes/api-deps.ts";
import { setUp } from "../../service/src/provider/ses/setup/set-up.ts";
import { makePartitionsAhead } from "../../service/src/storage/partitions.ts";
import { posternPath } from "../../service/test/spawn-postern.ts";
import { createEmptyDatabase, openTestDatabase } from "../../service/test/template-database.ts";
import { anEnvironment } from "../../service/test/test-config.ts";
import { aFreePort } from "../../ses-simulator/proofs/simulator-process.ts";
import { type Network, plainNetwork } from "../network/edges.ts";
import { PostgresServer } from "./postgres-server.ts";
import { Supervised } from "./supervised.ts";

/** off: only what becomes of a mail tells that it was handed over. none: nothing tells anything. */
export type SendEvents = "on" | "off" | "none";

const toldWith: Record<SendEvents, (type: string) => boolean> = {
  on: () => true,
  off: (type) => type !== "SEND",
  none: (type) => type === "REJECT",
};

export interface CellOptions {
  /** Where logs and the simulator's ledger go. */
  folder: string;
  apis: number;
  workers: number;
  /** Which of several cells it is. */
  cellCode?: string;
  environment?: Environment;
  sendEvents?: SendEvents;
  network?: Network;
  /** Where PostgreSQL keeps its data, if that matters. */
  postgresFolder?: string;
}

export interface ChaosCell {
  folder: string;
  db: Database;
  databaseUrl: string;
  environment: Environment;
  allDeps: CredentialDeps;
  senders: TestSender[];
  postgres: PostgresServer;
  simulator: Supervised;
  simulatorUrl: string;
  ledgerFile: string;
  apis: Supervised[];
  /** As clients reach them. */
  apiUrls: string[];
  workers: Supervised[];
  network: Network;
  close(): Promise<void>;
}

const simulatorPath = fileURLToPath(new URL("../../ses-simulator/src/main.ts", import.meta.url));
const region = "eu-central-1";
const senderCount = 20;
const mostRate: [number, number, number] = [100_000, 1_000_000, 6_000_000];

/** The whole system as real processes with fixed addresses: PostgreSQL, the simulator, APIs and workers, all supervised. */
export async function openCell(options: CellOptions): Promise<ChaosCell> {
  const { folder, network = plainNetwork, cellCode = "AA" } = options;
  mkdirSync(folder, { recursive: true });
  process.env.AWS_ACCESS_KEY_ID ??= "simulator";
  process.env.AWS_SECRET_ACCESS_KEY ??= "simulator";
  const postgres = await PostgresServer.create(join(folder, "postgres.log"), options.postgresFolder);
  await postgres.start();
  const databaseUrl = await makeDatabase(postgres.url);
  const simulatorPort = await aFreePort();
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`;
  const simulator = new Supervised(simulatorProgram(folder, simulatorPort));
  await simulator.start();
  const { topicArn, queueUrl } = await setUpAll(simulatorUrl, cellCode);
  await tellOnly({ region, url: simulatorUrl, topicArn, cellCode }, toldWith[options.sendEvents ?? "on"]);

  const environment = anEnvironment({
    DATABASE_URL: databaseUrl,
    CELL_CODE: cellCode,
    AWS_REGION: region,
    AWS_ENDPOINT_URL_SESV2: await network.route("worker-ses", simulatorUrl),
    AWS_ENDPOINT_URL_SNS: simulatorUrl,
    AWS_ENDPOINT_URL_SQS: await network.route("worker-sqs", simulatorUrl),
    AWS_ACCESS_KEY_ID: "simulator",
    AWS_SECRET_ACCESS_KEY: "simulator",
    AWS_FEEDBACK_TOPIC_ARN: topicArn,
    AWS_FEEDBACK_QUEUE_URL: queueUrl,
    LOG_LEVEL: "info",
    ...options.environment,
  });
  const db = openTestDatabase(databaseUrl);
  const allDeps = createCredentialDeps(readConfig(environment));
  const senders = await makeSenders(db, allDeps, senderCount, mostRate);

  const apis: Supervised[] = [];
  const apiUrls: string[] = [];
  for (let number = 0; number < options.apis; number++) {
    const port = String(await aFreePort());
    const DATABASE_URL = await network.route("api-postgres", databaseUrl);
    const env = { ...environment, PORT: port, DATABASE_URL };
    apis.push(new Supervised(posternProgram("api", `api-${number}`, folder, env)));
    apiUrls.push(await network.route("client-api", `http://127.0.0.1:${port}`));
  }
  const workers: Supervised[] = [];
  for (let number = 0; number < options.workers; number++) {
    const DATABASE_URL = await network.route("worker-postgres", databaseUrl);
    workers.push(
      new Supervised(posternProgram("worker", `worker-${number}`, folder, { ...environment, DATABASE_URL })),
    );
  }
  await Promise.all([...apis, ...workers].map((each) => each.start()));

  return {
    folder,
    db,
    databaseUrl,
    environment,
    allDeps,
    senders,
    postgres,
    simulator,
    simulatorUrl,
    ledgerFile: join(folder, "simulator", "ledger.ndjson"),
    apis,
    apiUrls,
    workers,
    network,
    async close() {
      await Promise.all([...apis, ...workers, simulator].map((each) => each.stop()));
      network.close();
      await db.close().catch(() => undefined);
      await postgres.stopImmediately();
    },
  };
}

/** A process of Postern; with `arm` it may carry a crash point. */
export function posternProgram(
  role: "api" | "worker",
  name: string,
  folder: string,
  env: Environment,
  flags: string[] = [],
) {
  return {
    name,
    args: [...flags, posternPath, role],
    env: { ...env },
    startedBy: `"${role}.started"`,
    logFile: join(folder, `${name}.log`),
  };
}

function simulatorProgram(folder: string, port: number) {
  const verified = Array.from({ length: senderCount }, (_, number) => ["--verify", senderDomain(number)]).flat();
  const limits = ["--max-send-rate", "5000", "--max-24-hour-send=-1", "--region", region];
  return {
    name: "simulator",
    args: [simulatorPath, "--port", String(port), "--data", join(folder, "simulator"), ...limits, ...verified],
    env: {},
    startedBy: "http://",
    logFile: join(folder, "simulator.log"),
  };
}

async function makeDatabase(serverUrl: string): Promise<string> {
  const { url } = await createEmptyDatabase(serverUrl);
  await migrate(url, () => undefined);
  await migrateChores(url);
  const db = openTestDatabase(url);
  const { failures } = await makePartitionsAhead(db, "month");
  await db.close();
  if (failures.length > 0) throw failures[0]?.error;
  return url;
}

async function setUpAll(url: string, cellCode: string) {
  const steps = setUp({ cellCode, region, endpoints: { ses: url, sns: url, sqs: url }, pauseMs: 0 });
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
  }
}
