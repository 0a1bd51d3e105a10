import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runner } from "node-pg-migrate";
import pg from "pg";

const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));
const migrationsTable = "schema_migrations";
const migrationLock = 7_205_759_403;

/** Brings the schema up to this release. Several processes may call it at once: one works, the others wait for it. */
export async function migrate(url: string, onStep: (message: string) => void): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "postern-migrate" });
  await client.connect();
  try {
    // The library's own lock refuses the second process; this one lets it wait and then find nothing to do.
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
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

/** The names of the migrations this release brings, oldest first. */
export function knownMigrations(): string[] {
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith(".sql"));
  return files.map((file) => file.replace(/\.sql$/, "")).toSorted();
}
