import { loadEnvironment, readDatabaseConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { migrateChores } from "../worker/chores.ts";

export async function runMigrate(): Promise<void> {
  const { database } = readDatabaseConfig(loadEnvironment());
  const applied = await migrate(database.directUrl, (message) => process.stderr.write(`${message}\n`));
  await migrateChores(database.directUrl);
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : "The schema is now up to date.\n");
}
