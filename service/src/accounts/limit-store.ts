import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import type { Limits } from "./account-store.ts";

const columns = {
  limit_per_second: "perSecond",
  limit_per_10_seconds: "per10Seconds",
  limit_per_minute: "perMinute",
  domain_limit: "domains",
  api_key_limit: "apiKeys",
  domain_changes_per_minute: "domainChangesPerMinute",
};

/** SQL: the limits of a row of accounts. */
export const accountLimitColumns = Object.entries(columns)
  .map(([name, alias]) => `${name} as "${alias}"`)
  .join(", ");

const factsOf = (row: string) => Object.fromEntries(Object.keys(columns).map((name) => [name, `${row}.${name}`]));

/** The limits of an account that live and test mail share. */
export interface AccountLimits extends Limits {
  domains: number;
  apiKeys: number;
  domainChangesPerMinute: number;
}

/** Changes only the limits that are given, and returns all of them. */
export async function setLimits(
  db: Queryable,
  accountId: string,
  limits: Partial<AccountLimits>,
  actor: Actor = systemActor,
): Promise<AccountLimits> {
  const { perSecond, per10Seconds, perMinute, domains, apiKeys, domainChangesPerMinute } = limits;
  const given = [perSecond, per10Seconds, perMinute, domains, apiKeys, domainChangesPerMinute];
  const [row] = await db.query<AccountLimits>({
    name: "set-limits",
    text: `
      with old as materialized (
        select id, name, ${Object.keys(columns).join(", ")}
        from accounts
        where id = $1
        for update
      ), changed as (
        update accounts a
        set limit_per_second = coalesce($2, a.limit_per_second),
            limit_per_10_seconds = coalesce($3, a.limit_per_10_seconds),
            limit_per_minute = coalesce($4, a.limit_per_minute),
            domain_limit = coalesce($5, a.domain_limit),
            api_key_limit = coalesce($6, a.api_key_limit),
            domain_changes_per_minute = coalesce($7, a.domain_changes_per_minute)
        from old
        where a.id = old.id
        returning ${Object.keys(columns)
          .map((name) => `a.${name}`)
          .join(", ")}
      ), ${auditEntry({
        action: "account.limits-change",
        actor: "$8",
        target: { kind: "account", id: "old.id", name: "old.name" },
        before: factsOf("old"),
        after: factsOf("changed"),
        from: `old cross join changed
        where (${Object.values(factsOf("old")).join(", ")}) is distinct from (${Object.values(factsOf("changed")).join(", ")})`,
      })}
      select ${accountLimitColumns}
      from changed`,
    values: [accountId, ...given.map((limit) => limit ?? null), JSON.stringify(actor)],
  });
  if (row === undefined) throw new Error("the account whose limits are set does not exist");
  return row;
}
