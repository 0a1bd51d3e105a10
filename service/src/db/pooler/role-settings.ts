import { pooledSessionSettings, roleSettings } from "../session-settings.ts";
import { withProbe } from "./with-probe.ts";

/** Two `postern migrate` at once would fail on the same row of the catalogue. */
const lock = "select pg_advisory_xact_lock(hashtextextended('postern role settings', 0))";

/**
 * Stores what Postern sends to PostgreSQL itself at connect, for the sessions that a pooler opens for it: with the role, in this
 * database only. A role may change its own settings. Sessions that are open keep what they have.
 */
export function storeRoleSettings(directUrl: string): Promise<void> {
  return withProbe(directUrl, "DATABASE_DIRECT_URL", async (client) => {
    const { rows } = await client.query<{ target: string }>(
      "select format('alter role %I in database %I', session_user, current_database()) as target",
    );
    const changes = Object.entries(roleSettings).map(([name, value]) => `${rows[0]?.target} set ${name} = '${value}'`);
    await client.query(["begin", lock, ...changes, "commit"].join(";\n"));
  });
}

/** The SQL of the settings of a session by name, as one JSON object. */
export const sessionSettingsSql = `json_build_object(${Object.keys(pooledSessionSettings)
  .map((name) => `'${name}', current_setting('${name}')`)
  .join(", ")})`;

/** Describes the settings of a session that differ from those of Postern. */
export function differencesIn(session: Record<string, string>): string[] {
  return Object.entries(pooledSessionSettings)
    .filter(([name, value]) => session[name] !== value)
    .map(([name, value]) => `${name} is ${session[name]} instead of ${value}`);
}
