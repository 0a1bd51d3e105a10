import type { Actor } from "../actor.ts";
import type { Database, Queryable } from "../db/database.ts";
import { bothModes, type Mode } from "../mode.ts";
import { countPurged } from "./deletion-store.ts";
import { purgeSends } from "./purge-sends.ts";
import { purgedTables } from "./purged-tables.ts";
import { waitForTransactions } from "./wait-for-writers.ts";

const rowsPerBatch = 5_000;
const firstId = "00000000-0000-0000-0000-000000000000";

type OnProgress = (table: string, rows: number) => void;

/**
 * Deletes everything of an account, in small commits. After an interruption the next call continues: what is deleted is not found again. The
 * caller has made sure that no mail of the account is on its way. `isForgotten`: the provider may still report its sends, and then it is ignored.
 */
export async function purgeAccount(
  db: Database,
  accountId: string,
  actor: Actor,
  onProgress: OnProgress,
  { isForgotten = true }: { isForgotten?: boolean } = {},
): Promise<void> {
  for (const table of purgedTables.first) await repeat(table, onProgress, () => purgeRows(db, table, accountId));
  for (const mode of bothModes) await repeat("sends", onProgress, () => purgeSends(db, accountId, mode, isForgotten));
  // A statement that read one of these sends may still write an event, and a replay that ran may still have queued a delivery.
  await waitForTransactions(db);
  await repeat("webhook_queue", onProgress, () => purgeRows(db, "webhook_queue", accountId));
  await purgeReports(db, accountId);
  for (const [table, key] of purgedTables.byKey) await purgeByKey(db, table, key, accountId, onProgress);
  for (const table of purgedTables.byMode) {
    for (const mode of bothModes) await repeat(table, onProgress, () => purgeByMode(db, table, accountId, mode));
  }
  await repeat("domains", onProgress, () => purgeDomains(db, accountId));
  for (const table of purgedTables.last) await repeat(table, onProgress, () => purgeRows(db, table, accountId));
  await repeat("audit_entries", onProgress, () => purgeAudit(db, accountId));
  await removeAccount(db, accountId, actor);
}

async function repeat(table: string, onProgress: OnProgress, purge: () => Promise<number>): Promise<void> {
  for (let total = 0, rows = 1; rows > 0; total += rows) {
    rows = await purge();
    if (rows > 0) onProgress(table, total + rows);
  }
}

async function purgeRows(db: Queryable, table: string, accountId: string): Promise<number> {
  const [row] = await db.query<{ rows: number }>({
    name: `purge-${table}`,
    text: `
      with gone as (
        delete from ${table}
        where account_id = $1
          and ctid = any (array(select ctid from ${table} where account_id = $1 limit ${rowsPerBatch}))
        returning 1
      ), ${countPurged(table)}
      select count(*) as rows
      from gone`,
    values: [accountId],
  });
  return row?.rows ?? 0;
}

async function purgeByMode(db: Queryable, table: string, accountId: string, mode: Mode): Promise<number> {
  const [row] = await db.query<{ rows: number }>({
    name: `purge-${table}`,
    text: `
      with purged as materialized (
        select id
        from ${table}
        where account_id = $1
          and mode = $2
        order by id
        limit ${rowsPerBatch}
      ), gone as (
        delete from ${table} t
        using purged
        where t.id between purged.id and purged.id
        returning 1
      ), ${countPurged(table)}
      select count(*) as rows
      from gone`,
    values: [accountId, mode],
  });
  return row?.rows ?? 0;
}

async function purgeByKey(
  db: Queryable,
  table: string,
  key: string,
  accountId: string,
  onProgress: OnProgress,
): Promise<void> {
  let total = 0;
  for (let after: string | null = firstId; after !== null; ) {
    const [row]: { last: string | null; rows: number }[] = await db.query<{ last: string | null; rows: number }>({
      name: `purge-${table}`,
      text: `
        with page as materialized (
          select ${key} as id, account_id = $1 as is_purged
          from ${table}
          where ${key} > $2
          order by ${key}
          limit ${rowsPerBatch * 4}
        ), gone as (
          delete from ${table} t
          using page
          where page.is_purged
            and t.${key} between page.id and page.id
          returning 1
        ), ${countPurged(table)}
        select (select max(id::text collate "C") from page) as last, (select count(*) from gone) as rows`,
      values: [accountId, after],
      changesSends: true,
    });
    total += row?.rows ?? 0;
    if (row !== undefined && row.rows > 0) onProgress(table, total);
    after = row?.last ?? null;
  }
}

/** Reports about sends that are deleted now. Both tables are short. */
async function purgeReports(db: Queryable, accountId: string): Promise<void> {
  const sendIds = {
    sandbox_reports: "(t.report ->> 'sendId')::uuid",
    feedback_quarantine: String.raw`substring(t.raw from 'send_id[\\": \[]+([0-9a-f]{8}-[0-9a-f-]{27})')::uuid`,
  };
  for (const [table, sendId] of Object.entries(sendIds)) {
    await db.query({
      name: `purge-${table}`,
      text: `
        with gone as (
          delete from ${table} t
          where exists (select from forgotten_sends f where f.send_id = ${sendId})
          returning 1
        ), ${countPurged(table)}
        select`,
      values: [accountId],
    });
  }
}

/** The commit that deletes a domain records the removal of its identity at SES, which a chore of the workers makes. */
async function purgeDomains(db: Queryable, accountId: string): Promise<number> {
  const [row] = await db.query<{ rows: number }>({
    name: "purge-domains",
    text: `
      with gone as (
        delete from domains
        where account_id = $1
        returning domain_name
      ), noted as materialized (
        select note_identity_removal(domain_name)
        from (select domain_name from gone order by domain_name) as in_order
      ), ${countPurged("domains")}
      select count(*) as rows
      from noted`,
    values: [accountId],
  });
  return row?.rows ?? 0;
}

function purgeAudit(db: Database, accountId: string): Promise<number> {
  return db.withTransaction(async (tx) => {
    await tx.query({ name: "allow-audit-purge", text: "select set_config('postern.audit_retention', 'on', true)" });
    const [row] = await tx.query<{ rows: number }>({
      name: "purge-audit",
      text: `
        with purged as materialized (
          select id
          from audit_entries
          where account_id = $1
          order by id
          limit ${rowsPerBatch}
        ), gone as (
          delete from audit_entries t
          using purged
          where t.account_id = $1
            and t.id between purged.id and purged.id
          returning 1
        ), ${countPurged("audit_entries")}
        select count(*) as rows
        from gone`,
      values: [accountId],
    });
    return row?.rows ?? 0;
  });
}

/** People who are members of no other account go with it, except operators. Deleting the account deletes memberships, logins and invitations. */
async function removeAccount(db: Database, accountId: string, actor: Actor): Promise<void> {
  await db.withTransaction(async (tx) => {
    const people = await tx.query<{ id: string }>({
      name: "lock-people-of-account",
      text: `
        select u.id
        from users u
        join memberships m on m.user_id = u.id and m.account_id = $1
        where not u.is_operator
          and not exists (select from memberships other where other.user_id = u.id and other.account_id <> $1)
        order by u.id
        for update of u`,
      values: [accountId],
    });
    const ids = people.map(({ id }) => id);
    const steps: [name: string, text: string, values: unknown[]][] = [
      ["leave-account", "update users set account_id = null where account_id = $1", [accountId]],
      ["delete-erasures", "delete from erasures where account_id = $1", [accountId]],
      ["delete-account", "delete from accounts where id = $1", [accountId]],
      ["delete-logins", "delete from logins where user_id = any ($1::uuid[])", [ids]],
      ["delete-people", "delete from users where id = any ($1::uuid[])", [ids]],
    ];
    for (const [name, text, values] of steps) await tx.query({ name: `purge-${name}`, text, values });
    await tx.query({
      name: "finish-account-purge",
      text: `
        update account_deletions
        set finished_at = now(), finished_by = $2::jsonb ->> 'name', rows = rows || jsonb_build_object('accounts', 1, 'users', $3::integer)
        where account_id = $1
          and finished_at is null`,
      values: [accountId, JSON.stringify(actor), ids.length],
    });
  });
}
