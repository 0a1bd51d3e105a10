import type { Database } from "../../src/db/database.ts";

/** What every endpoint of the account must get, by the id that receivers see. */
export async function readEnvelopes(db: Database, accountId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; envelope: string | null }>({
    name: "stored-envelopes",
    text: "select public_id as id, envelope from notifications where account_id = $1",
    values: [accountId],
  });
  return new Map(rows.map(({ id, envelope }) => [id, envelope ?? ""]));
}

/** Notifications that are not fanned out, and deliveries that are not final. */
export async function countUndelivered(db: Database): Promise<number> {
  const [row] = await db.query<{ left: number }>({
    name: "undelivered",
    text: `
      select (select count(*) from notifications where envelope is null) + (select count(*) from webhook_queue) as left`,
  });
  return row?.left ?? Number.NaN;
}
