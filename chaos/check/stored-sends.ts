import type { Queryable } from "../../service/src/db/database.ts";

export interface StoredSend {
  id: string;
  mode: string;
  status: string;
  messageId: string | null;
  errorCode: string | null;
  queueState: string | null;
  /** `number outcome`, oldest first. Empty when SES accepted the first attempt. */
  attempts: string[];
}

/** All sends in the database, acknowledged or not. */
export function readSends(db: Queryable): Promise<StoredSend[]> {
  return db.query<StoredSend>({
    name: "chaos-sends",
    text: `
      select s.id, s.mode, s.status, s.provider_message_id as "messageId", s.error_code as "errorCode", q.state as "queueState",
        coalesce((
          select array_agg(a.attempt || ' ' || a.outcome order by a.attempt)
          from send_attempts a
          where a.send_id = s.id
        ), '{}') as attempts
      from sends s
      left join send_queue q on q.id = s.id`,
  });
}

/** Counts the queued sends that the API accepted longer ago than this. */
export async function countUnfinished(db: Queryable, olderThanSeconds: number): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "chaos-unfinished",
    text: `select count(*) as count from send_queue where id < first_id_at(now() - make_interval(secs => $1))`,
    values: [olderThanSeconds],
  });
  return row?.count ?? 0;
}
