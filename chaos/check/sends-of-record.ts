import type { Queryable } from "../../service/src/db/database.ts";

export interface RecordedSend {
  id: string;
  mode: string;
  status: string;
  messageId: string | null;
  errorCode: string | null;
  queueState: string | null;
  /** As `number outcome`, oldest first: every attempt that was not simply accepted at the first try. */
  attempts: string[];
}

/** Everything the database holds, acknowledged or not. */
export function readSends(db: Queryable): Promise<RecordedSend[]> {
  return db.query<RecordedSend>({
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

/** Those that were accepted longer ago than this. */
export async function countOnTheirWay(db: Queryable, olderThanSeconds: number): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "chaos-on-their-way",
    text: `select count(*) as count from send_queue where id < first_id_at(now() - make_interval(secs => $1))`,
    values: [olderThanSeconds],
  });
  return row?.count ?? 0;
}
