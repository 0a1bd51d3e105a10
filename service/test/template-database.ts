import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Database, openDatabase } from "../src/db/database.ts";
import { migrate } from "../src/db/migrate.ts";
import { sqlState } from "../src/db/sql-state.ts";
import { makePartitionsAhead } from "../src/storage/partitions.ts";

const template = "postern_template";

/** Migrates one database once; each test file copies it in about 0.1 s. */
export async function createTemplate(serverUrl: string): Promise<void> {
  await asAdmin(serverUrl, async (client) => {
    await client.query(`drop database if exists ${template}`);
    await client.query(`create database ${template}`);
  });
  const url = databaseUrl(serverUrl, template);
  await migrate(url, () => undefined);
  const db = openTestDatabase(url);
  const { failures } = await makePartitionsAhead(db, "month");
  await db.close();
  if (failures.length > 0) throw failures[0]?.error;
}

interface OwnDatabase {
  name: string;
  url: string;
  drop: () => Promise<void>;
}

export function copyTemplate(serverUrl: string): Promise<OwnDatabase> {
  return createFrom(serverUrl, template);
}

/** A database without any migration. */
export function createEmptyDatabase(serverUrl: string): Promise<OwnDatabase> {
  return createFrom(serverUrl, "template0");
}

async function createFrom(serverUrl: string, source: string): Promise<OwnDatabase> {
  const name = `postern_test_${randomBytes(6).toString("hex")}`;
  await asAdmin(serverUrl, (client) => client.query(`create database ${name} template ${source}`));
  return {
    name,
    url: databaseUrl(serverUrl, name),
    drop: () => dropDatabase(serverUrl, name),
  };
}

/** Only a superuser may end an autovacuum of the database, which soon ends by itself. */
async function dropDatabase(serverUrl: string, name: string, tries = 20): Promise<void> {
  try {
    await asAdmin(serverUrl, (client) => client.query(`drop database ${name} with (force)`));
  } catch (error) {
    if (sqlState(error) !== "42501" || tries === 1) throw error;
    await sleep(500);
    await dropDatabase(serverUrl, name, tries - 1);
  }
}

export async function asAdmin(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export function openTestDatabase(url: string): Database {
  return openDatabase({ url, poolSize: 10, applicationName: "postern-test", onIdleError: () => undefined });
}
