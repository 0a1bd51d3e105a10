import type { Database } from "../../src/db/database.ts";

export interface Schedule {
  accountId: string;
  fromDomain: string;
  count: number;
}

const rowsPerStatement = 20_000;

/** Records of sends that wait for their time, without their rows in `scheduled_sends`. */
export async function storeRecords(db: Database, { accountId, fromDomain, count }: Schedule): Promise<void> {
  for (let stored = 0; stored < count; stored += rowsPerStatement) {
    await db.query({
      name: "store-scheduled-records",
      text: `
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, scheduled_at)
        select new_id_at(now()), $1, 'live', 'queued', 'news@' || $2::text, '{jane@example.test}', 1, 0, 'News', now() + interval '7 days'
        from generate_series(1, $3::integer)`,
      values: [accountId, fromDomain, Math.min(rowsPerStatement, count - stored)],
    });
  }
}

/** Schedules every stored record of the account, over the next 30 days. */
export async function scheduleRecords(db: Database, accountId: string, fromDomain: string): Promise<number> {
  let [after, total]: [string | null, number] = ["00000000-0000-0000-0000-000000000000", 0];
  for (;;) {
    const [row]: { last: string | null; count: number }[] = await db.query({
      name: "schedule-records",
      text: `
        with batch as materialized (
          select id
          from sends
          where account_id = $1
            and mode = 'live'
            and id > $3
          order by id
          limit $4
        ), scheduled as (
          insert into scheduled_sends (id, account_id, mode, scheduled_at, from_domain, recipients, sealed)
          select id, $1, 'live', now() + interval '1 day' + random() * interval '29 days', $2, '{jane@example.test}',
            convert_to(repeat('x', 500), 'UTF8')
          from batch
        )
        select max(id::text collate "C") as last, count(*)::integer as count
        from batch`,
      values: [accountId, fromDomain, after, rowsPerStatement],
    });
    if (row === undefined || row.last === null) return total;
    [after, total] = [row.last, total + row.count];
  }
}
