import { setLimits } from "../src/accounts/limit-store.ts";
import type { Database } from "../src/db/database.ts";
import type { SecretPair } from "../src/secret.ts";
import { openContent } from "../src/sends/content.ts";
import { aUser } from "./builders.ts";
import { aVerifiedDomain } from "./send-builders.ts";

export const systemSender = "Postern <postern@system.test>";

/** The account whose domain SYSTEM_SENDER has. */
export async function aSystemAccount(db: Database): Promise<string> {
  const { accountId } = await aUser(db);
  await aVerifiedDomain(db, accountId, "system.test");
  await setLimits(db, accountId, { perSecond: 1_000, per10Seconds: 1_000, perMinute: 1_000 });
  return accountId;
}

/** The texts of the mails to this address, oldest first. */
export async function mailsTo(db: Database, keys: SecretPair, email: string): Promise<string[]> {
  const rows = await db.query<{ id: string; accountId: string; sealed: Buffer }>({
    name: "mails-to",
    text: `
      select s.id, s.account_id as "accountId", c.sealed
      from sends s
      join send_contents c on c.id = s.id
      where $1 = any(s.to_addresses)
      order by s.id`,
    values: [email],
    isPlannedEachTime: true,
  });
  return rows.map(({ id, accountId, sealed }) => openContent(keys, { accountId, sendId: id }, sealed).text ?? "");
}

/** The token of the link to the page `invitation` or `reset` of the console. */
export function tokenIn(text: string): string {
  return /\/(?:invitation|reset-password)#token=([\w-]+)/.exec(text)?.[1] ?? "";
}
