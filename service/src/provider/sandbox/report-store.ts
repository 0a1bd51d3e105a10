import type { Queryable } from "../../db/database.ts";
import type { Feedback } from "../feedback.ts";

export interface NewReport {
  feedback: Omit<Feedback, "at" | "submittedAt">;
  happensIn: number;
  toldIn: number;
}

export interface DueReport {
  id: number;
  feedback: Feedback;
}

export async function insertReports(db: Queryable, reports: NewReport[]): Promise<void> {
  await db.query({
    name: "insert-sandbox-reports",
    text: `
      insert into sandbox_reports (report, happens_at, due_at)
      select report, now() + make_interval(secs => happens_in), now() + make_interval(secs => told_in)
      from unnest($1::jsonb[], $2::float8[], $3::float8[]) with ordinality as r (report, happens_in, told_in, place)
      order by place`,
    values: [
      reports.map(({ feedback }) => JSON.stringify(feedback)),
      reports.map(({ happensIn }) => happensIn),
      reports.map(({ toldIn }) => toldIn),
    ],
  });
}

/** Hides what it returns for half a minute: a process that dies with it in hand leaves it to be told by another. */
export async function takeDueReports(db: Queryable, count: number): Promise<DueReport[]> {
  const rows = await db.query<{ id: number; report: Omit<Feedback, "at" | "submittedAt">; happensAt: string }>({
    name: "take-due-sandbox-reports",
    text: `
      with due as materialized (
        select id
        from sandbox_reports
        where due_at <= now()
        order by due_at, id
        limit $1
        for update skip locked
      ), taken as (
        update sandbox_reports r
        set due_at = now() + interval '30 seconds'
        from due
        where r.id = due.id
        returning r.id, r.report, r.happens_at
      )
      select id, report, happens_at as "happensAt"
      from taken
      order by id`,
    values: [count],
  });
  // The store wrote it in this shape; only the times are kept apart.
  return rows.map(({ id, report, happensAt }) => ({
    id,
    feedback: { ...report, at: happensAt, submittedAt: happensAt } as Feedback,
  }));
}

export async function deleteReports(db: Queryable, ids: number[]): Promise<void> {
  await db.query({
    name: "delete-sandbox-reports",
    text: `delete from sandbox_reports where id = any($1::bigint[])`,
    values: [ids],
  });
}
