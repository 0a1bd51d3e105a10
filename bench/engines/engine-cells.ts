import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { makeSenders, senderDomain, type TestSender } from "../../service/proofs/sends/sending-client.ts";
import { readConfig } from "../../service/src/config.ts";
import { createCredentialDeps } from "../../service/src/processes/api-deps.ts";
import { copyTemplate, createEmptyDatabase, openTestDatabase } from "../../service/test/template-database.ts";
import { anEnvironment } from "../../service/test/test-config.ts";
import { makePlainTables } from "../plain/plain-tables.ts";
import { contendersFolder } from "./install-contenders.ts";
import { canNatsSync, type PrivateServer, startNats, startRedis } from "./private-servers.ts";

/** The database, servers and settings of one run of an engine, new for each run. */
export interface EngineCell {
  script: string;
  environment: Record<string, string | undefined>;
  databaseUrl: string;
  /** The servers besides PostgreSQL. */
  servers: Record<string, PrivateServer>;
  close(): Promise<void>;
}

export interface EngineChoice {
  name: string;
  /** Whether the engine syncs to disk before it answers. */
  isDurable: boolean;
  open(serverUrl: string): Promise<EngineCell>;
}

const accounts = 100;
/** Far above the load. */
const limits: [number, number, number] = [100_000, 1_000_000, 6_000_000];

export const postern: EngineChoice = { name: "postern", isDurable: true, open: openPostern };

/** A function, because the installed NATS version decides whether NATS is durable. */
export function contenders(): EngineChoice[] {
  const redis = { name: "redis", start: startRedis, variable: "REDIS_PORT" };
  const nats = { name: "nats", start: startNats, variable: "NATS_PORT" };
  return [
    contender("graphile-worker", "graphile-worker.ts"),
    contender("pg-boss", "pg-boss.ts"),
    contender("bullmq", "bullmq.ts", redis),
    canNatsSync()
      ? contender("nats", "nats.ts", nats)
      : { ...contender("nats (unsynced)", "nats.ts", nats), isDurable: false },
  ];
}

async function openPostern(serverUrl: string): Promise<EngineCell> {
  const { url, drop } = await copyTemplate(serverUrl);
  // No log line per send: the other engines write none either.
  const environment = anEnvironment({ DATABASE_URL: url, LOG_LEVEL: "warn" });
  const db = openTestDatabase(url);
  await makeSenders(db, createCredentialDeps(readConfig(environment)), accounts, limits);
  await db.query({
    name: "lift-pace",
    text: `update provider_state set max_per_second = 1000000 where mode = 'live'`,
  });
  await db.close();
  const script = join(import.meta.dirname, "postern-engine.ts");
  return { script, environment, databaseUrl: url, servers: {}, close: drop };
}

interface Broker {
  name: string;
  start(): Promise<PrivateServer>;
  /** The environment variable that passes its port to the engine's processes. */
  variable: string;
}

function contender(name: string, file: string, broker?: Broker): EngineChoice {
  return {
    name,
    isDurable: true,
    async open(serverUrl) {
      const { url, drop } = await createEmptyDatabase(serverUrl);
      await makePlainTables(url, plainSenders(), limits);
      const server = await broker?.start();
      return {
        script: join(contendersFolder, file),
        environment: {
          DATABASE_URL: url,
          ...(broker && { [broker.variable]: String(server?.port) }),
        },
        databaseUrl: url,
        servers: broker && server ? { [broker.name]: server } : {},
        async close() {
          await server?.stop();
          await drop();
        },
      };
    },
  };
}

function plainSenders(): TestSender[] {
  return Array.from({ length: accounts }, (_, number) => ({
    accountId: randomUUID(),
    key: `key-${number}`,
    from: `orders@${senderDomain(number)}`,
  }));
}
