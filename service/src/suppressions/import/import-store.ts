import { auditEntry } from "../../audit/audit-entry.ts";
import type { AccountDatabase, Database } from "../../db/database.ts";
import type { Mode } from "../../mode.ts";
import { isStronger, strengthOf } from "../../suppression-reason.ts";
import type { ImportEntry } from "./import-sources.ts";

/** Which of the addresses the account suppresses in this mode. */
export async function findSuppressed(db: AccountDatabase, mode: Mode, emails: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ email: string }>({
    name: "find-suppressed",
    text: `
      select s.email
      from unnest($3::text[]) as given (email)
      join suppressions s on s.account_id = $1 and s.mode = $2 and s.email = given.email`,
    values: [db.accountId, mode, emails],
  });
  return new Set(rows.map(({ email }) => email));
}

/**
 * Stores the entries and returns how many were new. An address that is suppressed keeps its entry and gets a stronger reason, never a
 * weaker one. The same entries again change nothing, so an import that was interrupted starts again from the beginning.
 */
export async function importEntries(
  db: AccountDatabase,
  mode: Mode,
  { source, entries }: { source: string; entries: readonly ImportEntry[] },
): Promise<number> {
  const [row] = await db.query<{ added: number }>({
    name: "import-suppressions",
    text: `
      with given as materialized (
        select distinct on (email) email, reason, note
        from unnest($3::text[], $4::text[], $5::text[]) as given (email, reason, note)
        order by email, ${strengthOf("reason")}
      ), stored as (
        insert into suppressions as known (account_id, id, mode, email, reason, note)
        select $1, new_id_at(now()), $2, email, reason, note
        from given
        order by email
        on conflict (account_id, mode, email) do update
        set reason = excluded.reason
        where ${isStronger("excluded.reason", "known.reason")}
        returning xmax = 0 as is_new -- 0 only for a new row
      ), counted as (
        select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as strengthened
        from stored
      ), ${auditEntry({
        action: "suppression.import",
        actor: "$6",
        target: { kind: "account", id: "$1::uuid" },
        after: { source: "$7::text", mode: "$2::text", added: "counted.added", strengthened: "counted.strengthened" },
        from: "counted where counted.added + counted.strengthened > 0",
      })}
      select added
      from counted`,
    values: [
      db.accountId,
      mode,
      entries.map(({ email }) => email),
      entries.map(({ reason }) => reason),
      entries.map(({ note }) => note ?? null),
      JSON.stringify(db.actor),
      source,
    ],
  });
  return row?.added ?? 0;
}

/**
 * Notes that the provider lists these addresses for these reasons, so that their removal removes them there too. For the operator's import
 * of the provider's own list: a request of an account has no right to write it. A weaker reason than the known one changes nothing.
 */
export async function noteReported(db: Database, accountId: string, entries: readonly ImportEntry[]): Promise<void> {
  await db.query({
    name: "note-reported-suppressions",
    text: `
      with listed as materialized (
        select s.email, given.reason
        from (
          select distinct on (email) email, reason
          from unnest($2::text[], $3::text[]) as given (email, reason)
          order by email, ${strengthOf("reason")}
        ) as given
        join suppressions s on s.account_id = $1 and s.mode = 'live' and s.email = given.email
        where s.reported_reason is null
          or ${isStronger("given.reason", "s.reported_reason")}
        order by s.email
        for update of s
      )
      update suppressions
      set reported_reason = listed.reason
      from listed
      where suppressions.account_id = $1
        and suppressions.mode = 'live'
        and suppressions.email = listed.email`,
    values: [accountId, entries.map(({ email }) => email), entries.map(({ reason }) => reason)],
  });
}
