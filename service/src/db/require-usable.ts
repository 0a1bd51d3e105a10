import { ConfigurationError } from "../errors.ts";
import type { Queryable } from "./database.ts";
import { knownMigrations } from "./migrate.ts";

/** A 202 promises that the send is on disk, so a server that does not wait for its disk is refused. */
export async function requireDurable(db: Queryable): Promise<void> {
  const [settings] = await db.query<{ fsync: string; synchronous_commit: string }>({
    name: "durability-settings",
    text: `
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit`,
  });
  const off = Object.entries(settings ?? {}).filter(([, value]) => value === "off");
  if (off.length === 0) return;
  throw new ConfigurationError(
    `The PostgreSQL server has ${off.map(([name]) => name).join(" and ")} off, so an accepted send could be lost. ` +
      "Switch it on (server, database and role settings) and start again.",
  );
}

/** A newer schema is fine: neighbouring releases work together. */
export async function findMissingMigrations(db: Queryable): Promise<string[]> {
  const known = knownMigrations();
  const rows = await db.query<{ name: string }>({
    name: "missing-migrations",
    text: `
      select known.name
      from unnest($1::text[]) as known (name)
      where not exists (select from schema_migrations applied where applied.name = known.name)
      order by known.name`,
    values: [known],
  });
  return rows.map((row) => row.name);
}
