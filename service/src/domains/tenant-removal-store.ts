import type { Queryable } from "../db/database.ts";

export interface TenantRemoval {
  accountId: string;
  domainName: string;
  note: string;
  /** The account has registered the domain again, and its tenant may have the identity again. */
  isAddedAgain: boolean;
}

/** Serves all accounts. The trigger `domains_tenant_removal` records removals. Oldest first; a failed one is moved to the end. */
export async function listTenantRemovals(db: Queryable, limit: number): Promise<TenantRemoval[]> {
  return db.query<TenantRemoval>({
    name: "list-tenant-removals",
    text: `
      select r.account_id as "accountId", r.domain_name as "domainName", r.note,
        exists (
          select
          from domains d
          where d.account_id = r.account_id and d.domain_name = r.domain_name and d.tenant_started_at is not null
        ) as "isAddedAgain"
      from tenant_removals r
      order by r.requested_at
      limit $1`,
    values: [limit],
  });
}

/** Keeps a removal that was recorded since `removal` was read. */
export async function forgetTenantRemoval(db: Queryable, removal: TenantRemoval): Promise<void> {
  await db.query({
    name: "forget-tenant-removal",
    text: `
      delete from tenant_removals
      where account_id = $1 and domain_name = $2
        and note = $3`,
    values: [removal.accountId, removal.domainName, removal.note],
  });
}

export async function postponeTenantRemoval(db: Queryable, removal: TenantRemoval): Promise<void> {
  await db.query({
    name: "postpone-tenant-removal",
    text: `
      update tenant_removals
      set requested_at = now()
      where account_id = $1 and domain_name = $2`,
    values: [removal.accountId, removal.domainName],
  });
}
