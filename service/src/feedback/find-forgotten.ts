import type { Queryable } from "../db/database.ts";

/** Of unknown sends, those whose account the operator deleted: what the provider still reports about them is of no use. */
export async function findForgotten(db: Queryable, sendIds: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "find-forgotten",
    text: `
      select send_id as id
      from forgotten_sends
      where send_id = any ($1::uuid[])`,
    values: [sendIds],
  });
  return rows.map(({ id }) => id);
}
