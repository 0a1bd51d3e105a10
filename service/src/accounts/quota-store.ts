import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";

/** What an account may use in one mode. Null is unlimited. */
export interface QuotaLimits {
  recipientsPerDay: number | null;
  queuedRecipients: number | null;
  storedContentBytes: number | null;
  /** Recipients a day until the operator lifts the trial; null when the account is not on trial. */
  trial: number | null;
}

export interface AccountQuotas extends QuotaLimits {
  accountId: string;
  mode: Mode;
}

export const noLimits: QuotaLimits = {
  recipientsPerDay: null,
  queuedRecipients: null,
  storedContentBytes: null,
  trial: null,
};

const limitColumns = `recipients_per_day as "recipientsPerDay", queued_recipients as "queuedRecipients",
        stored_content_bytes as "storedContentBytes", trial`;

/** Serves all accounts: the quotas of every account that has one. */
export async function listQuotas(db: Queryable): Promise<AccountQuotas[]> {
  return db.query<AccountQuotas>({
    name: "list-quotas",
    text: `
      select account_id as "accountId", mode, ${limitColumns}
      from account_quotas
      where num_nonnulls(recipients_per_day, queued_recipients, stored_content_bytes, trial) > 0`,
  });
}

/** Of these accounts, in both modes. Without a row an account has no quota. */
export function listQuotasOf(db: Queryable, accountIds: readonly string[]): Promise<AccountQuotas[]> {
  return db.query<AccountQuotas>({
    name: "list-quotas-of-accounts",
    text: `
      select account_id as "accountId", mode, ${limitColumns}
      from account_quotas
      where account_id = any ($1::uuid[])`,
    values: [accountIds],
  });
}

export async function findQuotas(db: Queryable, accountId: string, mode: Mode): Promise<QuotaLimits> {
  const [row] = await db.query<QuotaLimits>({
    name: "find-quotas",
    text: `
      select ${limitColumns}
      from account_quotas
      where account_id = $1
        and mode = $2`,
    values: [accountId, mode],
  });
  return row ?? noLimits;
}

const quotaFacts = (row: string) =>
  Object.fromEntries(
    ["recipients_per_day", "queued_recipients", "stored_content_bytes", "trial"].map((name) => [
      name,
      `${row}.${name}`,
    ]),
  );

/** Changes only the quotas that are given; null lifts one. API processes apply the change within seconds. */
export async function setQuotas(
  db: Queryable,
  { accountId, mode }: { accountId: string; mode: Mode },
  changes: Partial<QuotaLimits>,
  actor: Actor = systemActor,
): Promise<void> {
  const { recipientsPerDay, queuedRecipients, storedContentBytes, trial } = changes;
  const given = [recipientsPerDay, queuedRecipients, storedContentBytes, trial];
  await db.query({
    name: "set-quotas",
    text: `
      with old as materialized (
        select recipients_per_day, queued_recipients, stored_content_bytes, trial
        from account_quotas
        where account_id = $1
          and mode = $2
        for update
      ), changed as (
        insert into account_quotas as q (account_id, mode, recipients_per_day, queued_recipients, stored_content_bytes, trial)
        -- Reads the old row first: one that this statement has changed can no longer be locked.
        select $1, $2, $3, $4, $5, $6
        from (select count(*) from old) as locked
        on conflict (account_id, mode) do update
        set recipients_per_day = case when $7 then excluded.recipients_per_day else q.recipients_per_day end,
            queued_recipients = case when $8 then excluded.queued_recipients else q.queued_recipients end,
            stored_content_bytes = case when $9 then excluded.stored_content_bytes else q.stored_content_bytes end,
            trial = case when $10 then excluded.trial else q.trial end
        returning recipients_per_day, queued_recipients, stored_content_bytes, trial
      ), ${auditEntry({
        action: "account.quotas-change",
        actor: "$11",
        target: { kind: "account", id: "$1::uuid", name: "(select name from accounts where id = $1)" },
        before: { mode: "$2::text", ...quotaFacts("old") },
        after: { mode: "$2::text", ...quotaFacts("changed") },
        from: `changed
        left join old on true
        where (${Object.values(quotaFacts("old")).join(", ")}) is distinct from (${Object.values(quotaFacts("changed")).join(", ")})`,
      })}
      select
      from changed`,
    values: [
      accountId,
      mode,
      ...given.map((limit) => limit ?? null),
      ...given.map((limit) => limit !== undefined),
      JSON.stringify(actor),
    ],
  });
}
