import type { Database } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import { erasedAddress } from "../erased-address.ts";
import { sendingDomain, usageKinds } from "../usage/usage-kinds.ts";
import type { ErasureScope } from "./erase-page.ts";
import { hasAddress, withoutAddress } from "./erase-page.ts";
import type { ColumnKind } from "./erased-columns.ts";
import { advance, countErased } from "./erasure-store.ts";

/** Beside the recipients, which `sends` holds in two arrays of the same order. */
const columns: Record<string, ColumnKind> = {
  from_address: "mailbox",
  reply_to: "mailbox",
  subject: "text",
  suppressed_recipients: "mailboxes",
  error_message: "text",
  metadata: "text",
};

/** A caller's own text, such as `welcome-jane@example.com-1`: in a send to the address it is replaced wherever the address is part of it. */
const idempotencyKey = `case when cardinality(hits.keys) > 0 and position($7 in lower(s.idempotency_key)) > 0 then 'erased'
            else ${withoutAddress("s.idempotency_key", "text")} end`;

/** All columns of `sends` that can hold an address. */
export const erasedSendColumns = [...Object.keys(columns), "idempotency_key", "to_addresses", "recipient_keys"];

const rowsPerPage = 5_000;

/** SQL: the recipients of the send `s`, as the caller wrote them and as they are compared. */
const recipients = `unnest(s.to_addresses, coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]))
            with ordinality as recipient (given, key, position)`;
const isErased = "(recipient.given ~* $3 or recipient.key ~* $3)";
const isHit = `(${hasAddress("s", { ...columns, idempotency_key: "text" })} or exists (select from ${recipients} where ${isErased}))`;

export interface SendPage {
  position: string[] | null;
  read: number;
  /** The sends of the page with the address. */
  sendIds: string[];
}

export async function findSendPage(db: Database, scope: ErasureScope, after: string[]): Promise<SendPage> {
  const [row] = await db.query<SendPage>({
    name: "find-erasable-sends",
    text: `
      with page as materialized (
        select s.id, s.account_id, ${isHit} as is_hit
        from (
          select id, account_id, to_addresses, recipient_keys, idempotency_key, ${Object.keys(columns).join(", ")}
          from sends
          where id > ($1::text[])[1]::uuid
          order by id
          limit $5
        ) as s
      )
      select case when count(*) > 0 then array[max(id::text collate "C")] end as position, count(*) as read,
        coalesce(array_agg(id order by id) filter (where is_hit and ($4::uuid is null or account_id = $4)), '{}') as "sendIds"
      from page`,
    values: [after, scope.inText, scope.inMailbox, scope.accountId ?? null, rowsPerPage, scope.rough],
  });
  return row ?? { position: null, read: 0, sendIds: [] };
}

/**
 * Replaces the address in sends that are final, marks them, and deletes their content, attachments and search entries, in one commit. The
 * content that is deleted no longer counts as stored. A send that is in the queue again stays as it is: the caller finds it in `left`, and
 * the run moves to `position` when none is left. A send that another process deleted or erased meanwhile is neither erased nor left.
 */
export async function eraseSends(
  db: Database,
  scope: ErasureScope,
  { sendIds, position }: { sendIds: string[]; position: string[] },
): Promise<{ erased: number; left: string[] }> {
  const [row] = await db.query<{ erased: number; left: string[] }>({
    name: "erase-sends",
    text: `
      with left_over as materialized (
        select given.id
        from unnest($4::uuid[]) as given (id)
        where exists (select from send_queue q where q.id = given.id)
          or exists (select from scheduled_sends p where p.id = given.id)
      ), hits as materialized (
        select given.id, s.account_id, s.mode, s.hour, s.domain, s.keys, s.attachment_bytes
        from unnest($4::uuid[]) as given (id)
        cross join lateral ${indexLookup(`
          select s.account_id, s.mode, hour_number(s.queued_at) as hour, ${sendingDomain("s")} as domain, s.attachment_bytes,
            array(select recipient.key from ${recipients} where ${isErased}) as keys
          from sends s
          where s.id = given.id
            and ${isHit}`)} as s
        where given.id not in (select id from left_over)
        order by given.id
      ), erased as (
        update sends s
        set ${Object.entries(columns)
          .map(([column, kind]) => `${column} = ${withoutAddress(`s.${column}`, kind)}`)
          .join(", ")},
          idempotency_key = ${idempotencyKey},
          to_addresses = array(
            select case when ${isErased} then '${erasedAddress}' else recipient.given end from ${recipients} order by position
          ),
          recipient_keys = case when s.recipient_keys is not null then array(
            select case when ${isErased} then '${erasedAddress}' else recipient.key end from ${recipients} order by position
          ) end,
          -- Usage counts by it, also what SES reports later.
          from_domain = case when s.from_address ~* $3 then hits.domain else s.from_domain end,
          erased_at = coalesce(s.erased_at, now())
        from hits
        where ${equalByIndex("s.id", "hits.id")}
      ), searched as materialized (
        select hits.id, bucket << 36 | search_hash(hits.account_id, key) as key
        from hits
        cross join unnest(hits.keys) as key
        cross join lateral (values (fine_bucket(hits.id)), (fine_bucket(hits.id) >> 10)) as either (bucket)
      ), searches as (
        delete from send_searches e
        using searched
        where e.key between searched.key and searched.key
          and e.send_id = searched.id
      ), contents as (
        delete from send_contents c
        using hits
        where ${equalByIndex("c.id", "hits.id")}
        returning c.id, octet_length(c.sealed) as bytes
      ), kept as (
        delete from kept_contents c
        using hits
        where ${equalByIndex("c.id", "hits.id")}
        returning c.id, octet_length(c.sealed) as bytes, c.counted_from
      ), counted_contents as (
        select id, bytes
        from contents
        union all
        select id, bytes
        from kept
        where counted_from is not null -- others are copies
      ), chunks as (
        delete from attachment_chunks c
        using hits
        where ${equalByIndex("c.id", "hits.id")}
      ), kept_chunks as (
        delete from kept_attachment_chunks c
        using hits
        where ${equalByIndex("c.id", "hits.id")}
      ), usage as (
        insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends, content_bytes)
        select hits.account_id, hits.hour, 0, ${usageKinds.accepted}, hits.mode = 'test', hits.domain, 0,
          -sum(counted_contents.bytes + coalesce(hits.attachment_bytes, 0))
        from hits
        join counted_contents on counted_contents.id = hits.id
        group by hits.account_id, hits.hour, hits.mode, hits.domain
      ), ${countErased("sends", "select account_id from hits")}, last_read as materialized (
        select $5::text[] as position
        where not exists (select from left_over)
      ), ${advance("'sends'")}
      select (select count(*) from hits) as erased, array(select id from left_over order by id) as left`,
    values: [scope.erasureId, scope.inText, scope.inMailbox, sendIds, position, scope.rough, scope.key],
    changesSends: true,
  });
  return row ?? { erased: 0, left: [] };
}
