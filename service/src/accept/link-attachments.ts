/**
 * SQL, a step of the accept statement: which requests have all their attachments (attachments/store-chunks.ts). The lock keeps the chore
 * from deleting them. Only statements with such a request have this step.
 */
export const findAttached = `
  select r.position
  from request r
  cross join lateral (
    select p.send_id
    from pending_attachments p
    where p.send_id = r.send_id
      and p.account_id = r.account_id
    for update
  ) as pending
  where r.attachment_chunks is not null
    and r.attachment_chunks = (select count(*) from attachment_chunks c where c.id = r.send_id)`;

export const noAttached = `
  select null::bigint as position
  where false`;

/** The step that links the attachments of new sends: what is no longer pending belongs to its send. */
export const linkAttached = `, linked as (
  delete from pending_attachments p
  using answer a
  where p.send_id = a.send_id
    and a.has_attachments
    and a.is_new
    and a.status = 'queued'
)`;
