import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { byteaArray, textArray, uuidArray } from "../../../service/src/db/array-param.ts";
import { createBatch } from "../../../service/src/db/batch.ts";
import { parseAddress, parseMailbox } from "../../../service/src/mail-address.ts";
import { openContent, sealContent } from "../../../service/src/sends/content.ts";
import { contentKey } from "../../plain/plain-secrets.ts";
import { callProvider, type Send } from "../workload.ts";

/**
 * The duties of a mail service, the same for every contender, so that the contenders differ only in their queue. They share round trips
 * and pass arrays as the service does, so that neither makes a difference between the engines.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });

export interface Prepared {
  id: string;
  keyId: string;
  fromDomain: string;
  from: string;
  recipient: string;
  subject: string;
  keyHash: Buffer;
  payloadHash: Buffer;
  sealed: Buffer;
}

interface Sender {
  accountId: string;
  keyId: string;
  domain: string;
}

/** Parses the addresses, hashes key and payload, and seals the content. The senders rotate. */
export async function openPreparation(): Promise<(send: Send) => Prepared> {
  const { rows: senders } = await pool.query<Sender>(`
    select d.account_id as "accountId", k.id as "keyId", d.name as domain
    from domains d
    join api_keys k on k.account_id = d.account_id`);
  let prepared = 0;
  return (send) => {
    prepared += 1;
    const sender = senders[prepared % senders.length];
    if (sender === undefined) throw new Error("the database has no account with a verified domain");
    return prepare(sender, { ...send, from: `orders@${sender.domain}` });
  };
}

function prepare({ accountId, keyId, domain }: Sender, { id, from, to, subject, text }: Send): Prepared {
  const [mailbox, address] = [parseMailbox(from), parseAddress(to)];
  if ("problem" in mailbox || "problem" in address) throw new Error("the bench uses an invalid address");
  const content = {
    from: { name: mailbox.name, address: mailbox.address.ascii },
    to: [address.ascii],
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject,
    html: undefined,
    text,
  };
  return {
    id,
    keyId,
    fromDomain: domain,
    from,
    recipient: address.key,
    subject,
    keyHash: hash("sha256", `${accountId} order-${id}`, "buffer"),
    payloadHash: hash("sha256", JSON.stringify({ from, to, subject, text }), "buffer"),
    sealed: sealContent(contentKey, { accountId, sendId: id }, content),
  };
}

/**
 * The decisions and rows of acceptance, in one statement as Postern's: key, account and domain, three rate windows, idempotency key,
 * suppression, record, sealed content, an event for a suppressed recipient, the entry that a search by recipient needs, and the usage of the
 * account. `accepted` has the sends that need a job.
 */
const accepting = `
  with given as materialized (
    select *
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::bytea[], $9::bytea[])
      with ordinality as given (id, key_id, from_domain, from_address, recipient, subject, key_hash, payload_hash, sealed, position)
  ), allowed as materialized (
    select g.*, a.id as account_id, a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute,
      row_number() over (partition by a.id order by g.position) as position_in_account
    from given g
    join api_keys k on k.id = g.key_id
    join accounts a on a.id = k.account_id
    join domains d on d.account_id = a.id and d.name = g.from_domain
    where k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
      and 'send' = any (k.scopes)
      and a.suspended_at is null
      and d.verified_at is not null
  ), used as materialized (
    select account.id as account_id, coalesce(sum(c.count) filter (where c.second > now() - interval '1 s'), 0) as in_second,
      coalesce(sum(c.count) filter (where c.second > now() - interval '10 s'), 0) as in_10_seconds, coalesce(sum(c.count), 0) as in_minute
    from (select distinct account_id as id from allowed) as account
    left join request_counts c on c.account_id = account.id and c.second > now() - interval '60 s'
    group by account.id
  ), counted as (
    insert into request_counts as c (account_id, second, count)
    select account_id, date_trunc('second', now()), count(*)
    from allowed
    group by account_id
    order by account_id
    on conflict (account_id, second) do update
    set count = c.count + excluded.count
  ), fit as materialized (
    select a.*, exists (
      select from suppressions s where s.account_id = a.account_id and s.email = a.recipient
    ) as is_suppressed
    from allowed a
    join used u using (account_id)
    where u.in_second + a.position_in_account <= a.limit_per_second
      and u.in_10_seconds + a.position_in_account <= a.limit_per_10_seconds
      and u.in_minute + a.position_in_account <= a.limit_per_minute
  ), reserved as (
    insert into idempotency_keys (key_hash, send_id, payload_hash, queued_at)
    select key_hash, id, payload_hash, now()
    from fit
    order by key_hash
    on conflict (key_hash) do nothing
    returning send_id
  ), stored as (
    insert into sends (id, account_id, api_key_id, status, from_address, from_domain, to_addresses, subject, suppressed, queued_at)
    select id, account_id, key_id, case when is_suppressed then 'suppressed' else 'queued' end, from_address, from_domain,
      array[recipient], subject, case when is_suppressed then array[recipient] end, now()
    from fit
    join reserved on send_id = id
  ), searched as (
    insert into send_recipients (account_id, recipient, send_id)
    select account_id, recipient, id
    from fit
    join reserved on send_id = id
    order by account_id, recipient, id
  ), usage as (
    insert into usage_hours as u (account_id, hour, api_key_id, from_domain, sends, content_bytes)
    select account_id, date_trunc('hour', now()), key_id, from_domain, count(*), sum(octet_length(sealed))
    from fit
    join reserved on send_id = id
    group by account_id, key_id, from_domain
    order by account_id, key_id, from_domain
    on conflict (account_id, hour, api_key_id, from_domain) do update
    set sends = u.sends + excluded.sends, content_bytes = u.content_bytes + excluded.content_bytes
  ), suppressed as (
    insert into events (id, send_id, account_id, type, recipient, at)
    select gen_random_uuid(), id, account_id, 'Suppression', recipient, now()
    from fit
    join reserved on send_id = id
    where is_suppressed
  ), accepted as materialized (
    select id, sealed
    from fit
    join reserved on send_id = id
    where not is_suppressed
  ), kept as (
    insert into send_contents (id, sealed)
    select id, sealed
    from accepted
  )`;

/** `enqueue`: the SQL that queues `accepted` in the same commit; its `accepted` column is the number of sends. */
export function acceptStatement(sends: Prepared[], enqueue = "select count(*)::integer as accepted from accepted") {
  return {
    name: "accept-sends",
    text: `${accepting} ${enqueue}`,
    values: [
      uuidArray(sends.map(({ id }) => id)),
      uuidArray(sends.map(({ keyId }) => keyId)),
      textArray(sends.map(({ fromDomain }) => fromDomain)),
      textArray(sends.map(({ from }) => from)),
      textArray(sends.map(({ recipient }) => recipient)),
      textArray(sends.map(({ subject }) => subject)),
      byteaArray(sends.map(({ keyHash }) => keyHash)),
      byteaArray(sends.map(({ payloadHash }) => payloadHash)),
      byteaArray(sends.map(({ sealed }) => sealed)),
    ],
  };
}

/** All sends of the bench are permitted. */
export async function acceptAll(client: Pick<pg.Pool, "query">, sends: Prepared[], enqueue?: string): Promise<void> {
  const { rows } = await client.query<{ accepted: number }>(acceptStatement(sends, enqueue));
  if (rows[0]?.accepted !== sends.length)
    throw new Error(`${rows[0]?.accepted} of ${sends.length} sends were accepted`);
}

/** For an engine whose queue is not in PostgreSQL: the commit comes before the job, so a crash between the two leaves a send without one. */
export function openAcceptance(): (send: Prepared) => Promise<void> {
  return shared((sends) => acceptAll(pool, sends));
}

/** Waits for its permitted time, checks the send again, opens its content and makes the call. Returns the id of the mail. */
export function openSubmission(): (id: string) => Promise<{ id: string; messageId: string }> {
  const recheck = createBatch<string, Checked>({
    run: recheckAll,
    maxItems: 200,
    maxBytes: 1_000_000,
    sizeOf: () => 1,
  });
  return async (id) => {
    const { accountId, sealed, waitMs } = await recheck(id);
    if (waitMs > 0) await sleep(waitMs);
    openContent({ current: contentKey, second: undefined }, { accountId, sendId: id }, sealed);
    return { id, messageId: await callProvider() };
  };
}

interface Checked {
  accountId: string;
  sealed: Buffer;
  waitMs: number;
}

async function recheckAll(ids: string[]): Promise<Checked[]> {
  const { rows } = await pool.query<Checked & { id: string }>({
    name: "recheck-sends",
    text: `
      with paced as (
        update pace
        set next_at = greatest(next_at, clock_timestamp()) + $2::integer * interval '1 s' / per_second
        returning greatest(0, 1000 * extract(epoch from next_at - clock_timestamp()) - 1000.0 * $2::integer / per_second)::float8 as wait_ms
      )
      select s.id, s.account_id as "accountId", c.sealed, paced.wait_ms as "waitMs"
      from unnest($1::uuid[]) as given (id)
      join sends s on s.id = given.id
      join accounts a on a.id = s.account_id
      join domains d on d.account_id = s.account_id and d.name = s.from_domain
      join send_contents c on c.id = s.id
      cross join paced
      where s.status = 'queued'
        and a.suspended_at is null
        and d.verified_at is not null
        and not exists (
          select from suppressions u where u.account_id = s.account_id and u.email = any (s.to_addresses)
        )`,
    values: [uuidArray(ids), ids.length],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? refuse(id));
}

function refuse(id: string): never {
  throw new Error(`${id} may not be submitted`);
}

interface Mark {
  id: string;
  messageId: string;
}

export function openMarking(): (mark: Mark) => Promise<void> {
  return shared((marks) => pool.query(markStatement(marks)));
}

export function markStatement(marks: Mark[]) {
  return {
    name: "mark-sends",
    text: `
      update sends
      set status = 'sent', sent_at = now(), provider_message_id = given.message_id
      from unnest($1::uuid[], $2::text[]) as given (id, message_id)
      where sends.id = given.id`,
    values: [uuidArray(marks.map(({ id }) => id)), textArray(marks.map(({ messageId }) => messageId))],
  };
}

export function shared<Item>(run: (items: Item[]) => Promise<unknown>): (item: Item) => Promise<void> {
  return createBatch<Item, void>({
    run: async (items) => {
      await run(items);
      return items.map(() => undefined);
    },
    maxItems: 200,
    maxBytes: 1_000_000,
    sizeOf: () => 1,
  });
}
