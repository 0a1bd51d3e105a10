import type { Database } from "../../src/db/database.ts";

export interface SendResult {
  /** Accepted by an API, and without a mail in the ledger of SES or a settled record. */
  lost: number;
  /** With more than one mail in the ledger. */
  doubled: number;
  /** Keys with more or fewer than one send in the database. */
  differentKeys: number;
}

/** Compares three independent lists: what the APIs answered, the ledger of SES, and the database. The subject of a mail is its key. */
export async function compareSends(
  db: Database,
  ids: Map<string, string>,
  ledger: { sendId: string }[],
): Promise<SendResult> {
  const mails = new Map<string, number>();
  for (const { sendId } of ledger) mails.set(sendId, (mails.get(sendId) ?? 0) + 1);
  const rows = await db.query<{ id: string; key: string; status: string }>({
    name: "sends-of-keys",
    text: `
      select id, subject as key, status
      from sends
      where subject = any($1::text[])`,
    values: [[...ids.keys()]],
  });
  const settled = new Set(rows.filter(({ status }) => ["sent", "delivered"].includes(status)).map(({ id }) => id));
  const copies = new Map<string, number>();
  for (const { key } of rows) copies.set(key, (copies.get(key) ?? 0) + 1);
  return {
    lost: [...ids.values()].filter((id) => !mails.has(id) || !settled.has(id)).length,
    doubled: [...mails.values()].filter((count) => count > 1).length,
    differentKeys: [...ids.keys()].filter((key) => copies.get(key) !== 1).length,
  };
}
