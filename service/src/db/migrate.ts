import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runner } from "node-pg-migrate";
import pg from "pg";
import { ConfigurationError } from "../errors.ts";
import { sqlState } from "./sql-state.ts";

const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));
const migrationsTable = "schema_migrations";
const migrationLock = 7_205_759_403;

/** Brings the schema up to this release. Processes may call it concurrently: one migrates, the others wait for it. */
export async function migrate(url: string, onStep: (message: string) => void): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "postern-migrate" });
  await client.connect();
  try {
    // With the library's own lock the second process would fail. With this one it waits, then finds nothing to do.
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await requireRights(client);
    await refuseOldSchema(client);
    const applied = await runner({
      dbClient: client,
      dir: migrationsFolder,
      migrationsTable,
      direction: "up",
      noLock: true,
      checkOrder: true,
      singleTransaction: false,
      logger: { info: () => undefined, warn: onStep, error: onStep },
    });
    return applied.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

/** The owner of a database may create tables in its schema public. */
async function requireRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ user: string; database: string }>(
    `select current_user as "user", current_database() as database where not has_schema_privilege('public', 'create')`,
  );
  const [missing] = rows;
  if (missing === undefined) return;
  const { user, database } = missing;
  throw new ConfigurationError(
    `The user ${user} may not create tables in the database ${database}. The database must belong to this user. ` +
      `Run as its owner or as a superuser: alter database "${database}" owner to "${user}"`,
  );
}

/** Every database from before the baseline of November 2026 has this migration, and no later one does. */
const firstOldMigration = "0001_accounts";

/** The baseline renamed tables and columns before the first release, so there is no upgrade from the schema before it. */
async function refuseOldSchema(client: pg.Client): Promise<void> {
  const old = await client
    .query(`select from ${migrationsTable} where name = $1`, [firstOldMigration])
    .catch((error: unknown) => {
      // An empty database has no such table yet.
      if (sqlState(error) === "42P01") return { rowCount: 0 };
      throw error;
    });
  if (old.rowCount === 0) return;
  throw new ConfigurationError(
    "This database has the schema of a development version of Postern from before its first release, which cannot be " +
      "upgraded. Create an empty database, set DATABASE_URL to it and run `postern migrate`. " +
      "For `postern dev`, start once with --fresh.",
  );
}

/** The names of this release's migrations, oldest first. */
export function knownMigrations(): string[] {
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith(".sql"));
  return files.map((file) => file.replace(/\.sql$/, "")).toSorted();
}
