import pg from "pg";
import { AppError } from "../errors.ts";
import { withDatabaseName } from "../postgres-url.ts";
import { postgresClient } from "./postgres-client.ts";
import { sqlState } from "./sql-state.ts";

/** Every PostgreSQL server has this database; `create database` needs a connection to another one. */
const maintenanceDatabase = "postgres";

const unknownDatabase = "3D000";
const mayNotCreate = "42501";
/** `create database` reports a concurrent one by the first, or by the unique index of the catalogue. */
const existsAlready = new Set(["42P04", "23505"]);

/** Returns the name of the database if it was created, undefined if it exists. Processes may call it concurrently. */
export async function createDatabaseIfMissing(url: string): Promise<string | undefined> {
  if (await canConnect(url)) return undefined;
  const name = new (postgresClient())({ connectionString: url }).database ?? "";
  const client = await connectTo(withDatabaseName(url, maintenanceDatabase));
  try {
    // `template0` has no local changes of the server and allows the encoding to be chosen.
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
    return name;
  } catch (error) {
    if (existsAlready.has(sqlState(error) ?? "")) return undefined;
    throw sqlState(error) === mayNotCreate ? mayNotCreateError(client, name, error) : error;
  } finally {
    await client.end();
  }
}

async function canConnect(url: string): Promise<boolean> {
  try {
    await (await connectTo(url)).end();
    return true;
  } catch (error) {
    if (sqlState(error) === unknownDatabase) return false;
    throw error;
  }
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new (postgresClient())({ connectionString: url, application_name: "postern-migrate" });
  await client.connect();
  return client;
}

function mayNotCreateError(client: pg.Client, name: string, cause: unknown): AppError {
  const [database, user] = [name, client.user ?? ""].map((each) => pg.escapeIdentifier(each));
  return new AppError(
    "UNAVAILABLE",
    `The database ${name} does not exist, and the user ${client.user} of DATABASE_URL may not create databases. ` +
      `Ask an administrator of PostgreSQL to run once: create database ${database} owner ${user};`,
    { cause },
  );
}
