import type { Queryable } from "../db/database.ts";

/**
 * Serves all accounts: an identity belongs to the AWS account and may be deleted only when no account uses its name.
 */
export async function isNameTaken(db: Queryable, domainName: string): Promise<boolean> {
  const rows = await db.query({
    name: "is-name-taken",
    text: `
      select id
      from domains
      where domain_name = $1
      limit 1`,
    values: [domainName],
  });
  return rows.length > 0;
}

/** Serves all accounts. Oldest first; `postponeIdentityRemoval` moves one that fails to the end. */
export async function listIdentityRemovals(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ domainName: string }>({
    name: "list-identity-removals",
    text: `
      select domain_name as "domainName"
      from identity_removals
      order by requested_at
      limit $1`,
    values: [limit],
  });
  return rows.map((row) => row.domainName);
}

/** Returns the note that `forgetIdentityRemoval` needs, or undefined when no removal is recorded. */
export async function findIdentityRemoval(db: Queryable, domainName: string): Promise<string | undefined> {
  const [row] = await db.query<{ note: string }>({
    name: "find-identity-removal",
    text: `
      select note
      from identity_removals
      where domain_name = $1`,
    values: [domainName],
  });
  return row?.note;
}

/**
 * Deletes the record only if it still has this note; a newer note belongs to a later removal that is still to be done.
 */
export async function forgetIdentityRemoval(db: Queryable, domainName: string, note: string): Promise<void> {
  await db.query({
    name: "forget-identity-removal",
    text: `
      delete from identity_removals
      where domain_name = $1
        and note = $2`,
    values: [domainName, note],
  });
}

export async function postponeIdentityRemoval(db: Queryable, domainName: string): Promise<void> {
  await db.query({
    name: "postpone-identity-removal",
    text: `
      update identity_removals
      set requested_at = now()
      where domain_name = $1`,
    values: [domainName],
  });
}

/** Serves all accounts. Lists drafts whose registration was interrupted and not repeated. */
export async function listAbandonedDrafts(db: Queryable, olderThanSeconds: number): Promise<string[]> {
  const rows = await db.query<{ domainName: string }>({
    name: "list-abandoned-drafts",
    text: `
      select distinct domain_name as "domainName"
      from domains
      where registered_at is null
        and created_at < now() - make_interval(secs => $1)
      limit 100`,
    values: [olderThanSeconds],
  });
  return rows.map((row) => row.domainName);
}

/** Deletes the drafts of a name and records an identity removal. The caller holds the name lock. */
export async function deleteDrafts(db: Queryable, domainName: string, olderThanSeconds: number): Promise<void> {
  await db.query({
    name: "delete-drafts",
    text: `
      with deleted as (
        delete from domains
        where domain_name = $1
          and registered_at is null
          and created_at < now() - make_interval(secs => $2)
        returning domain_name
      )
      insert into identity_removals (domain_name)
      select distinct domain_name
      from deleted
      on conflict (domain_name) do update set note = excluded.note`,
    values: [domainName, olderThanSeconds],
  });
}
