-- Expands. Usage of each tag, per account, mode and day (docs/usage.md).
-- First, because it is the only lock on a table that others use.
-- The tags of the sends that a delta counts. Null for sends without tags, which costs nothing. Processes of the release before fold such a
-- delta without them; a rebuild adds what they left out.
alter table usage_deltas add column tags text[];

-- Days and not hours: a tenant chooses its tags, and this bounds its rows to 1,001 a day and mode.
create table usage_tag_days (
  account_id uuid not null,
  mode text not null,
  -- In UTC.
  day date not null,
  tag text collate "C" not null,
  accepted_sends bigint not null default 0,
  accepted_recipients bigint not null default 0,
  delivered bigint not null default 0,
  bounced_hard bigint not null default 0,
  bounced_soft bigint not null default 0,
  complained bigint not null default 0,
  suppressed bigint not null default 0,
  failed bigint not null default 0,
  delayed bigint not null default 0,
  delivery_times bigint[],
  constraint usage_tag_days_once primary key (account_id, mode, day, tag),
  constraint usage_tag_days_mode_known check (mode in ('live', 'test'))
) with (fillfactor = 70);

-- Old days are deleted by it.
create index usage_tag_days_day_idx on usage_tag_days using brin (day);

-- The tags that are counted by name, at most 1,000 of an account, mode and month: usage/named-tags.ts. Rows are only added, so a tag that is
-- counted with the others stays with them until the month ends.
create table usage_tags (
  account_id uuid not null,
  mode text not null,
  -- Its first day, in UTC.
  month date not null,
  tag text collate "C" not null,
  constraint usage_tags_once primary key (account_id, mode, month, tag),
  constraint usage_tags_mode_known check (mode in ('live', 'test'))
);

create index usage_tags_month_idx on usage_tags using brin (month);

create policy own_account on usage_tag_days
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on usage_tags
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));

alter table usage_tag_days enable row level security;
alter table usage_tags enable row level security;

grant select on usage_tag_days, usage_tags to pg_database_owner;
