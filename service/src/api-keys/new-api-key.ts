import type { AccountDatabase } from "../db/database.ts";
import { generateApiKey, type KeyType } from "./api-key.ts";

/** A prefix has four random characters: even with a million moved keys, fewer than one key in sixteen needs a second try. */
const maxTries = 20;

/**
 * Generates a key whose prefix no key of a moving or moved account has. The proxy routes such a prefix to another cell. A move that begins
 * between this query and the insert of the key is covered by `findSharedPrefixes`, which the move checks after it began.
 */
export async function newApiKey(
  db: AccountDatabase,
  type: KeyType,
  cellCode: string,
  generate = generateApiKey,
): Promise<{ key: string; keyPrefix: string }> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const made = generate(type, cellCode);
    if (!(await isPrefixOfMovedKey(db, made.keyPrefix))) return made;
  }
  throw new Error(`${maxTries} generated keys had the prefix of a moved key`);
}

async function isPrefixOfMovedKey(db: AccountDatabase, keyPrefix: string): Promise<boolean> {
  const [row] = await db.query<{ isMoved: boolean }>({
    name: "is-prefix-of-moved-key",
    text: `
      select is_prefix_of_moved_key($2) as "isMoved"
      from accounts
      where id = $1`,
    values: [db.accountId, keyPrefix],
  });
  return row?.isMoved === true;
}
