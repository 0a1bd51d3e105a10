import type { Queryable } from "../db/database.ts";
import type { Limits } from "./account-store.ts";

/** The limits of an account that live and test mail share. */
export interface AccountLimits extends Limits {
  domains: number;
  apiKeys: number;
  domainChangesPerMinute: number;
}

/** SQL: the limits of a row of accounts. */
export const accountLimitColumns = `limit_per_second as "perSecond", limit_per_10_seconds as "per10Seconds",
        limit_per_minute as "perMinute", domain_limit as domains, api_key_limit as "apiKeys",
        domain_changes_per_minute as "domainChangesPerMinute"`;

/** Changes only the limits that are given, and returns all of them. */
export async function setLimits(
  db: Queryable,
  accountId: string,
  limits: Partial<AccountLimits>,
): Promise<AccountLimits> {
  const { perSecond, per10Seconds, perMinute, domains, apiKeys, domainChangesPerMinute } = limits;
  const given = [perSecond, per10Seconds, perMinute, domains, apiKeys, domainChangesPerMinute];
  const [row] = await db.query<AccountLimits>({
    name: "set-limits",
    text: `
      update accounts
      set limit_per_second = coalesce($2, limit_per_second),
          limit_per_10_seconds = coalesce($3, limit_per_10_seconds),
          limit_per_minute = coalesce($4, limit_per_minute),
          domain_limit = coalesce($5, domain_limit),
          api_key_limit = coalesce($6, api_key_limit),
          domain_changes_per_minute = coalesce($7, domain_changes_per_minute)
      where id = $1
      returning ${accountLimitColumns}`,
    values: [accountId, ...given.map((limit) => limit ?? null)],
  });
  if (row === undefined) throw new Error("the account whose limits are set does not exist");
  return row;
}
