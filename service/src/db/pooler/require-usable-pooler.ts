import { ConfigurationError } from "../../errors.ts";
import { probeBackends } from "./probe-backends.ts";
import { differencesIn, sessionSettingsSql } from "./role-settings.ts";
import { isPooled, withProbe } from "./with-probe.ts";

interface DatabaseUrls {
  url: string;
  /** The same as `url` when DATABASE_DIRECT_URL is not set. */
  directUrl: string;
}

/**
 * Whether DATABASE_URL leads to a pooler. Refuses one through which Postern could not keep its guarantees, in this order:
 * 1. DATABASE_DIRECT_URL leads to PostgreSQL itself, and the role has the session settings. Checked before the pooler is used: it
 *    would keep a session without the settings, and give it to a process that starts after `postern migrate`. A process waits for the
 *    schema before (`processes/wait-until-usable.ts`).
 * 2. With a pooler, DATABASE_DIRECT_URL is set, and both lead to the same database as the same user.
 * 3. Several server connections have the settings, and a statement prepared on one of them can be executed on the others.
 */
export async function findUsablePooler(database: DatabaseUrls): Promise<boolean> {
  const { url, directUrl } = database;
  const direct = directUrl === url ? undefined : await readDirect(directUrl);
  const pooled = await withProbe(url, "DATABASE_URL", async (client) =>
    (await isPooled(client)) ? await readTarget(client) : undefined,
  );
  if (pooled === undefined) return false;
  if (direct === undefined) throw directIsMissing();
  requireSameTarget(pooled, direct);
  await probeBackends(url);
  return true;
}

/** For `postern migrate`, whose locks belong to a session. */
export async function requireDirect({ url, directUrl }: DatabaseUrls): Promise<void> {
  const setting = directUrl === url ? "DATABASE_URL" : "DATABASE_DIRECT_URL";
  if (!(await withProbe(directUrl, setting, isPooled))) return;
  throw directUrl === url ? directIsMissing() : directIsPooled();
}

interface Target {
  user: string;
  database: string;
  /** Differs between two servers, also between a primary and its standby. */
  runningSince: string;
}

type Session = Target & { settings: Record<string, string> };

async function readDirect(directUrl: string): Promise<Target> {
  const { isDirect, session } = await withProbe(directUrl, "DATABASE_DIRECT_URL", async (client) => ({
    isDirect: !(await isPooled(client)),
    session: await readTarget(client),
  }));
  if (!isDirect) throw directIsPooled();
  const differences = differencesIn(session.settings);
  if (differences.length === 0) return session;
  throw new ConfigurationError(
    `DATABASE_DIRECT_URL is set, which announces a pooler, but the role ${session.user} lacks the session settings that Postern ` +
      `needs behind one: ${differences.join(", ")}. Run \`postern migrate\`, which stores them. If they are still missing ` +
      "afterwards, remove the settings of the same name in DATABASE_DIRECT_URL or in PGOPTIONS. Without a pooler, remove " +
      "DATABASE_DIRECT_URL.",
  );
}

async function readTarget(client: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<Session> {
  const { rows } = await client.query(`
    select session_user as "user", current_database() as database, extract(epoch from pg_postmaster_start_time())::text as "runningSince",
      ${sessionSettingsSql} as settings`);
  return rows[0] as Session; // The statement returns one row of this shape.
}

function requireSameTarget(pooled: Session, direct: Target): void {
  const names = ["user", "database", "runningSince"] as const;
  const first = names.find((name) => pooled[name] !== direct[name]);
  if (first === undefined) return;
  const what =
    first === "runningSince" ? "another server" : `the ${first} ${pooled[first]} instead of ${direct[first]}`;
  throw new ConfigurationError(
    `The pooler of DATABASE_URL connects to ${what}. Both URLs must lead to the same database as the same user: correct the ` +
      "entry under [databases] in pgbouncer.ini (host, port, dbname, user), or DATABASE_DIRECT_URL.",
  );
}

function directIsMissing(): ConfigurationError {
  return new ConfigurationError(
    "DATABASE_URL leads to a connection pooler. Migrations, LISTEN, locks and chores need sessions of their own: set " +
      "DATABASE_DIRECT_URL to the address of PostgreSQL itself, run `postern migrate`, and start again.",
  );
}

function directIsPooled(): ConfigurationError {
  return new ConfigurationError(
    "DATABASE_DIRECT_URL leads to a connection pooler. Migrations, LISTEN, locks and chores need sessions of their own: set it to the " +
      "address of PostgreSQL itself, not of the pooler.",
  );
}
