-- Expands. Finds sends by recipient and by provider message id without scanning them.
--
-- Triggers write the entries, so sends accepted and settled by processes of the version before are found as well. Creating the triggers
-- waits for running writes to sends and blocks new ones for that moment. A worker adds the entries of the sends from before this
-- migration (storage/index-old-sends.ts).

-- One entry for each recipient of a send. The key is a bucket of time and 36 bits of a hash of account and recipient. The hash may
-- collide: a search compares the send itself.
--
-- The bucket comes first because of WAL. Random keys touch a page of the index for nearly every send, and PostgreSQL writes each page in
-- full (8 KB) at its first change after a checkpoint. With the bucket first, all new entries go to a few pages. A search looks into every
-- bucket, so a worker merges old ones (storage/merge-search-entries.ts):
--
-- 1. An entry of a send of the last 12 hours has a fine bucket: 2^20 ms (17 minutes), the first 28 bits of the id.
-- 2. A worker merges 1,024 fine buckets into a coarse one of 2^30 ms (12 days), a day after its end. A year has 30 coarse buckets.
-- 3. An entry that is added later has a coarse bucket at once, so a merged bucket stays merged.
--
-- The numbers of coarse buckets are smaller than those of all fine ones: both kinds share the table and its index.
create table send_searches (
  key bigint not null,
  send_id uuid not null
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

create index send_searches_key_idx on send_searches (key, send_id);

-- 36 bits.
create function search_hash(account_id uuid, value text) returns bigint
  language sql immutable parallel safe
  return ('x0000000' || left(encode(sha256(convert_to(account_id::text || ' ' || value, 'UTF8')), 'hex'), 9))::bit(64)::bigint;

create function fine_bucket(send_id uuid) returns bigint
  language sql immutable parallel safe
  return ('x000000000' || left(send_id::text, 7))::bit(64)::bigint;

create table search_progress (
  is_only_row boolean primary key default true,
  -- Sends with smaller ids may have no entries yet.
  indexed_from uuid not null,
  -- Coarse buckets before this one are merged. Of this one, the entries with smaller hashes are.
  merging_bucket bigint not null,
  merging_hash bigint not null default 0,
  constraint search_progress_one_row check (is_only_row)
);

-- The smallest id that gets a fine bucket. After the clock of the server ran ahead and was corrected, the worker may have merged the
-- present or a part of it: searches do not look for fine buckets there, and no worker merges them again.
create function first_fine_id() returns uuid
  language sql stable
  return greatest(
    first_id_at(now() - interval '12 hours'),
    (
      select rpad(lpad(to_hex((merging_bucket + case when merging_hash > 0 then 1 else 0 end) << 10), 7, '0'), 32, '0')::uuid
      from search_progress
    )
  );

create function search_key(send_id uuid, hash bigint, first_fine_id uuid) returns bigint
  language sql immutable parallel safe
  return case
    when send_id >= first_fine_id then fine_bucket(send_id) << 36
    else (fine_bucket(send_id) >> 10) << 36
  end | hash;

-- A provider message id of SES contains the time of the submission: a region code of four digits and the milliseconds since 1970 in
-- twelve hexadecimal digits. Nearly every send is submitted within seconds after its acceptance, so the sends of those seconds are its
-- index: such a send needs no entry, and settling it writes nothing more. AWS does not document the format. A send whose provider
-- message id has another format or another time gets an entry like that of a recipient.
create function needs_search_entry(send_id uuid, provider_message_id text) returns boolean
  language sql immutable parallel safe
  return provider_message_id is not null and not case
    when substr(provider_message_id, 17, 1) = '-' and translate(left(provider_message_id, 16), '0123456789abcdef', '') = '' then
      ('x0000' || substr(provider_message_id, 5, 12))::bit(64)::bigint
      - ('x0000' || left(replace(send_id::text, '-', ''), 12))::bit(64)::bigint between -5000 and 10000
    else false
  end;

create function index_new_sends() returns trigger
  language plpgsql
as $$
declare
  first_fine uuid := first_fine_id();
begin
  insert into send_searches (key, send_id)
  select distinct search_key(added.id, search_hash(added.account_id, value), first_fine), added.id
  from added
  cross join lateral (
    select unnest(coalesce(added.recipient_keys, lower(added.to_addresses::text)::text[])) as value
    union all
    select added.provider_message_id
    where needs_search_entry(added.id, added.provider_message_id)
  ) as searched
  order by 1;
  return null;
end
$$;

create function index_submitted_send() returns trigger
  language plpgsql
as $$
begin
  insert into send_searches (key, send_id)
  values (search_key(new.id, search_hash(new.account_id, new.provider_message_id), first_fine_id()), new.id);
  return null;
end
$$;

-- From here on every commit that stores a send writes its entries.
lock table sends in share row exclusive mode;

create trigger sends_indexed
  after insert on sends
  referencing new table as added
  for each statement
  execute function index_new_sends();

create trigger sends_submission_indexed
  after update of provider_message_id on sends
  for each row
  when (new.provider_message_id is distinct from old.provider_message_id
    and needs_search_entry(new.id, new.provider_message_id))
  execute function index_submitted_send();

-- No fine bucket is older than 12 hours here.
insert into search_progress (indexed_from, merging_bucket)
select case when exists (select from sends) then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end::uuid,
  fine_bucket(first_fine_id()) >> 10;

create function search_indexed_from() returns uuid
  language sql stable
  security definer
  set search_path = public, pg_temp
  return (select indexed_from from search_progress);

revoke all on function search_indexed_from () from public;
grant execute on function search_indexed_from () to pg_database_owner;

-- The sends with this hash and ids in a range, newest first. Nobody may read send_searches itself on behalf of an account: this function
-- returns ids only, and row-level security decides which of these sends the account sees. With the settings, no plan depends on statistics.
--
-- The number of buckets is bounded, whatever range the caller asks for: it reads none that begins more than a year from now, and at most
-- 2^17 fine ones (four years). An id further ahead is not that of a send, and a worker merges fine buckets after 13 days.
create function find_searched_sends(hash bigint, from_id uuid, before_id uuid, at_most integer) returns setof uuid
  language sql stable strict
  security definer
  set search_path = public, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
begin atomic
  select found.send_id
  from (
    (
      select found.send_id
      from generate_series(
        fine_bucket(least(before_id, first_id_at(now() + interval '1 year'))),
        greatest(
          fine_bucket(from_id),
          (select merging_bucket << 10 from search_progress),
          fine_bucket(least(before_id, first_id_at(now() + interval '1 year'))) - (1 << 17)
        ),
        -1
      ) as bucket
      cross join lateral (
        select s.send_id
        from send_searches s
        where s.key = ((bucket << 36) | hash)
          and s.send_id >= from_id
          and s.send_id < before_id
        order by s.send_id desc
        limit at_most
      ) as found
      limit at_most
    )
    union all
    (
      select found.send_id
      from generate_series(
        fine_bucket(least(before_id, first_id_at(now() + interval '1 year'))) >> 10,
        fine_bucket(from_id) >> 10,
        -1
      ) as bucket
      cross join lateral (
        select s.send_id
        from send_searches s
        where s.key = ((bucket << 36) | hash)
          and s.send_id >= from_id
          and s.send_id < before_id
        order by s.send_id desc
        limit at_most
      ) as found
      limit at_most
    )
  ) as found
  order by found.send_id desc
  limit at_most;
end;

revoke all on function find_searched_sends (bigint, uuid, uuid, integer) from public;
grant execute on function find_searched_sends (bigint, uuid, uuid, integer) to pg_database_owner;
