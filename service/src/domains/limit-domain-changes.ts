import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";

/**
 * Counts one registration, removal or MAIL FROM change of the account, or throws. An account may change `domain_changes_per_minute` domains a
 * minute, and as many as in two minutes at once. The database counts, so all processes share the limit. A refused request
 * writes nothing. Failed requests count too, because they may have used control calls.
 */
export async function requireDomainChange(db: AccountDatabase): Promise<void> {
  const [row] = await db.query<{ isAdmitted: boolean; waitSeconds: number }>({
    name: "take-domain-change",
    text: `
      with counted as (
        update accounts
        set domain_changes_at = make_interval(secs => 60.0 / domain_changes_per_minute)
          + case when domain_changes_at > now() + interval '121 seconds' then now() -- the clock was set back
                 else greatest(domain_changes_at, now()) end
        where id = $1
          and (domain_changes_at <= now() + make_interval(secs => 120 - 60.0 / domain_changes_per_minute)
            or domain_changes_at > now() + interval '121 seconds')
        returning id
      )
      select exists (select from counted) as "isAdmitted",
        ceil(extract(epoch from greatest(domain_changes_at, now()) - now()) - 120 + 60.0 / domain_changes_per_minute)::float8
          as "waitSeconds"
      from accounts
      where id = $1`,
    values: [db.accountId],
  });
  if (row?.isAdmitted) return;
  const retryAfterSeconds = Math.max(1, row?.waitSeconds ?? 1);
  const message = `This account changes domains too fast. Try again in ${retryAfterSeconds} seconds.`;
  throw new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds });
}
