import { indexLookup } from "../db/stable-plan.ts";

/**
 * SQL: a subquery with the sealed content of the send `id` as `sealed`, null when it was deleted. The send's weekly partition has it, or
 * `kept_contents` when the send outlived its week. PostgreSQL reads the second table only when the first has no row.
 */
export function contentOf(id: string): string {
  return indexLookup(`
        select coalesce(
          (select c.sealed from send_contents c where c.id = ${id}),
          (select k.sealed from kept_contents k where k.id = ${id})
        ) as sealed`);
}

/** SQL: a condition that is true while the content of the send `id` exists. */
export function hasContent(id: string): string {
  return `(exists (select from send_contents c where c.id = ${id}) or exists (select from kept_contents k where k.id = ${id}))`;
}

/**
 * SQL: a subquery with one row when the content of the send `id` exists. Until the transaction ends nobody deletes that content; then the
 * send must be in the queue. The key share locks a single row, and the table `kept_contents` against the drop of a whole week.
 */
export function lockedContentOf(id: string): string {
  return `(
          select
          from (select) as one
          left join lateral (select c.id from send_contents c where c.id = ${id} for key share) as stored on true
          left join lateral (select k.id from kept_contents k where k.id = ${id} for key share) as kept on true
          where stored.id is not null or kept.id is not null
          offset 0
        )`;
}
