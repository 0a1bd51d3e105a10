import type { Queryable } from "../../db/database.ts";
import type { Feedback } from "../feedback.ts";

export interface NewReport {
  feedback: Omit<Feedback, "at" | "submittedAt">;
  happensInSeconds: number;
  reportedInSeconds: number;
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
      select report, now() + make_interval(secs => happens_in), now() + make_interval(secs => reported_in)
      from unnest($1::jsonb[], $2::float8[], $3::float8[])
        with ordinality as planned (report, happens_in, reported_in, position)
      order by position`,
    values: [
      reports.map(({ feedback }) => JSON.stringify(feedback)),
      reports.map(({ happensInSeconds }) => happensInSeconds),
      reports.map(({ reportedInSeconds }) => reportedInSeconds),
    ],
  });
}

/**
 * Hides the returned reports for 30 seconds: if this process crashes before it deletes them, another one reports them.
 */
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
  // `insertReports` wrote this shape without the times, which have columns of their own.
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
