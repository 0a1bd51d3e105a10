import type { ChaosCell } from "../../chaos/cell/chaos-cell.ts";

/** Bytes on disk per send, including indexes and TOAST: the permanent record, and the content. */
export async function storedBytes({ db }: ChaosCell): Promise<{ record: number; content: number }> {
  const [row] = await db.query<{ sends: number; record: number; content: number }>({
    name: "stored-bytes",
    text: `
      with parts as (
        select
          coalesce(pg_partition_root(oid)::regclass, oid::regclass)::text as of_table,
          sum(pg_total_relation_size(oid))::float8 as bytes
        from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace
        group by 1
      )
      select
        (select count(*) from sends)::float8 as sends,
        (select sum(bytes) from parts where of_table in ('sends', 'events', 'idempotency_keys', 'send_attempts')) as record,
        (select sum(bytes) from parts where of_table = 'send_contents') as content`,
  });
  if (row === undefined || row.sends === 0) return { record: Number.NaN, content: Number.NaN };
  return { record: row.record / row.sends, content: row.content / row.sends };
}
