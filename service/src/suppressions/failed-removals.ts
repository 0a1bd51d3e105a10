import type { Queryable } from "../db/database.ts";
import type { RemovedSuppression } from "./suppression-state.ts";

/** Without the address, which belongs to the account: its members read it in their list. */
export interface FailedRemoval {
  accountId: string;
  accountName: string;
  removedAt: string;
  status: "pending" | "refused";
  nextTryAt: string | null;
  error: NonNullable<RemovedSuppression["providerError"]>;
}

export interface FailedRemovals {
  /** The newest. */
  removals: FailedRemoval[];
  /** Counted up to 10,000. */
  total: number;
}

const maxListed = 50;
const countLimit = 10_000;

/** Removals whose last try at the provider failed. Serves all accounts. */
export async function listFailedRemovals(db: Queryable): Promise<FailedRemovals> {
  const rows = await db.query<FailedRemoval & { total: number }>({
    name: "list-failed-removals",
    text: `
      with failed as materialized (
        select account_id, removed_at, provider_status, provider_next_try_at, provider_error
        from removed_suppressions
        where provider_error is not null
        order by removed_at desc
        limit $2
      )
      select a.id as "accountId", a.name as "accountName", failed.removed_at as "removedAt", failed.provider_status as status,
        failed.provider_next_try_at as "nextTryAt", failed.provider_error as error,
        (select count(*) from failed) as total
      from failed
      join accounts a on a.id = failed.account_id
      order by failed.removed_at desc
      limit $1`,
    values: [maxListed, countLimit],
  });
  return { removals: rows.map(({ total: _total, ...removal }) => removal), total: rows[0]?.total ?? 0 };
}
