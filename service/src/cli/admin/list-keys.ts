import { listApiKeys } from "../../api-keys/api-key-store.ts";
import type { Database } from "../../db/database.ts";
import { aligned, say, timeText } from "../../plain-text.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export async function runListKeys(db: Database, accountText: string): Promise<void> {
  const account = await getAccountByIdOrEmail(db, accountText);
  const keys = await listApiKeys(db.forAccount(account.id));
  if (keys.length === 0) return say(`${account.name} has no API key.`);
  const rows = keys.map(({ id, type, keyPrefix, scopes, domain, lastUsedAt, expiresAt, createdAt, name }) => [
    id,
    type,
    keyPrefix,
    scopes.join(","),
    domain ?? "all",
    lastUsedAt === null ? "never" : timeText(lastUsedAt),
    expiresAt === null ? "never" : timeText(expiresAt),
    timeText(createdAt),
    name,
  ]);
  say(aligned([["ID", "TYPE", "KEY", "SCOPES", "DOMAIN", "LAST USED", "EXPIRES", "CREATED", "NAME"], ...rows]));
}
