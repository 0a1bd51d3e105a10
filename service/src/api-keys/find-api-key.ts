import type { Queryable } from "../db/database.ts";
import type { KeyType } from "./api-key.ts";

export interface FoundApiKey {
  id: string;
  name: string;
  type: KeyType;
  keyPrefix: string;
  createdAt: string;
  revokedAt: string | null;
  accountId: string;
  accountName: string;
}

/** Searches all accounts, for the operator, who has only the id of a key. Finds revoked keys as well. */
export async function findApiKey(db: Queryable, id: string): Promise<FoundApiKey | undefined> {
  const [row] = await db.query<FoundApiKey>({
    name: "find-api-key",
    text: `
      select k.id, k.name, k.type, k.key_prefix as "keyPrefix", k.created_at as "createdAt", k.revoked_at as "revokedAt",
        k.account_id as "accountId", a.name as "accountName"
      from api_keys k
      join accounts a on a.id = k.account_id
      where k.id = $1`,
    values: [id],
  });
  return row;
}
