import { ConfigurationError } from "../errors.ts";
import type { Database, Queryable } from "./database.ts";
import { knownMigrations } from "./migrate.ts";
import { sqlState } from "./sql-state.ts";

/** A 202 promises that the send is on disk, so a server whose commits do not wait for the disk is refused. */
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

const noAccountId = "00000000-0000-0000-0000-000000000000";

/** Without this role row-level security would not apply, and only the `account_id` conditions would separate accounts. */
export async function requireAccountRole(db: Database): Promise<void> {
  try {
    await db.forAccount(noAccountId).query({ name: "take-account-role", text: "select id from accounts" });
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    const [names] = await db.query<{ change: string }>({
      name: "describe-owner",
      text: "select format('alter database %I owner to %I', current_database(), session_user) as change",
    });
    throw new ConfigurationError(
      "The user of DATABASE_URL does not own the database, so its statements cannot be bound to one account. " +
        `Ask an administrator of PostgreSQL to run once: ${names?.change};`,
      { cause: error },
    );
  }
}

/** A newer schema is accepted, unless it excludes this code (code-range.ts). */
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
