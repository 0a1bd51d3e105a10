import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { reportOnly } from "../../service/proofs/cell/reported-events.ts";
import { makeSenders, type TestSender } from "../../service/proofs/sends/sending-client.ts";
import { type Environment, readConfig } from "../../service/src/config.ts";
import type { Database } from "../../service/src/db/database.ts";
import { migrate } from "../../service/src/db/migrate.ts";
import { type CredentialDeps, createCredentialDeps } from "../../service/src/processes/api-deps.ts";
import { setUp } from "../../service/src/provider/ses/setup/set-up.ts";
import { makePartitionsAhead } from "../../service/src/storage/partitions.ts";
import { posternPath } from "../../service/test/spawn-postern.ts";
import { createEmptyDatabase, openTestDatabase } from "../../service/test/template-database.ts";
import { anEnvironment } from "../../service/test/test-config.ts";
import { aFreePort } from "../../ses-simulator/proofs/simulator-process.ts";
import { type Network, plainNetwork } from "../network/edges.ts";
import { PostgresServer } from "./postgres-server.ts";
import { posternProgram, senderCount, simulatorProgram, region as usualRegion } from "./programs.ts";
import { Supervised } from "./supervised.ts";

/** off: SES reports no Send events, only outcomes such as Delivery. none: SES reports neither. */
export type SendEvents = "on" | "off" | "none";

const isReported: Record<SendEvents, (type: string) => boolean> = {
  on: () => true,
  off: (type) => type !== "SEND",
  none: (type) => type === "REJECT",
};

export interface CellOptions {
  /** The folder of the logs and the simulator's ledger. */
  folder: string;
  apis: number;
  workers: number;
  /** Default: AA. */
  cellCode?: string;
  /** Two cells with one region would have the same AWS account. Default: eu-central-1. */
  region?: string;
  /** False: without accounts and domains. */
  hasSenders?: boolean;
  environment?: Environment;
  sendEvents?: SendEvents;
  network?: Network;
  /** PostgreSQL's data folder; default: a temporary one. */
  postgresFolder?: string;
  /** Makes the schema and the senders, and runs; default: this working tree. */
  code?: CellCode;
}

/** Code of another commit brings its own schema, so only that code can write to it. */
export interface CellCode {
  posternPath: string;
  /** Returns the address of a new database with the schema. */
  makeDatabase(serverUrl: string): Promise<string>;
  makeSenders(environment: Environment): Promise<TestSender[]>;
}

export interface ChaosCell {
  folder: string;
  db: Database;
  databaseUrl: string;
  environment: Environment;
  credentialDeps: CredentialDeps;
  senders: TestSender[];
  postgres: PostgresServer;
  simulator: Supervised;
  simulatorUrl: string;
  ledgerFile: string;
  apis: Supervised[];
  /** The addresses that clients use, one per API. */
  apiUrls: string[];
  workers: Supervised[];
  network: Network;
  close(): Promise<void>;
}

export const highLimits: [number, number, number] = [100_000, 1_000_000, 6_000_000];

const thisTree: CellCode = {
  posternPath,
  makeDatabase,
  async makeSenders(environment) {
    const db = openTestDatabase(environment.DATABASE_URL ?? "");
    const credentials = createCredentialDeps(readConfig(environment));
    const senders = await makeSenders(db, credentials, senderCount, highLimits);
    await db.close();
    return senders;
  },
};

/** Starts the whole system as supervised processes on fixed ports: PostgreSQL, the simulator, APIs and workers. */
export async function openCell(options: CellOptions): Promise<ChaosCell> {
  const { folder, network = plainNetwork, cellCode = "AA", code = thisTree, region = usualRegion } = options;
  mkdirSync(folder, { recursive: true });
  process.env.AWS_ACCESS_KEY_ID ??= "simulator";
  process.env.AWS_SECRET_ACCESS_KEY ??= "simulator";
  const postgres = await PostgresServer.create(join(folder, "postgres.log"), options.postgresFolder);
  await postgres.start();
  const databaseUrl = await code.makeDatabase(postgres.url);
  const simulatorPort = await aFreePort();
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`;
  const simulator = new Supervised(simulatorProgram(folder, simulatorPort, region));
  await simulator.start();
  const { topicArn, queueUrl } = await setUpAll(simulatorUrl, cellCode, region);
  await reportOnly({ region, url: simulatorUrl, topicArn, cellCode }, isReported[options.sendEvents ?? "on"]);

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
    DNS_SERVERS: new URL(simulatorUrl).host,
    LOG_LEVEL: "info",
    ...options.environment,
  });
  const db = openTestDatabase(databaseUrl);
  const credentialDeps = createCredentialDeps(readConfig(environment));
  const senders = options.hasSenders === false ? [] : await code.makeSenders(environment);

  const apis: Supervised[] = [];
  const apiUrls: string[] = [];
  for (let number = 0; number < options.apis; number++) {
    const port = String(await aFreePort());
    const DATABASE_URL = await network.route("api-postgres", databaseUrl);
    const env = { ...environment, PORT: port, DATABASE_URL };
    apis.push(new Supervised(posternProgram("api", `api-${number}`, folder, env, [], code.posternPath)));
    apiUrls.push(await network.route("client-api", `http://127.0.0.1:${port}`));
  }
  const workers: Supervised[] = [];
  for (let number = 0; number < options.workers; number++) {
    const DATABASE_URL = await network.route("worker-postgres", databaseUrl);
    const env = { ...environment, DATABASE_URL };
    workers.push(new Supervised(posternProgram("worker", `worker-${number}`, folder, env, [], code.posternPath)));
  }
  await Promise.all([...apis, ...workers].map((each) => each.start()));

  return {
    folder,
    db,
    databaseUrl,
    environment,
    credentialDeps,
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

async function makeDatabase(serverUrl: string): Promise<string> {
  const { url } = await createEmptyDatabase(serverUrl);
  await migrate(url, () => undefined);
  const db = openTestDatabase(url);
  const { failures } = await makePartitionsAhead(db, "month");
  await db.close();
  if (failures.length > 0) throw failures[0]?.error;
  return url;
}

async function setUpAll(url: string, cellCode: string, region: string) {
  const steps = setUp({ cellCode, region, endpoints: { ses: url, sns: url, sqs: url }, pauseMs: 0 });
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
  }
}
