-- Expands. Which suppressions concern the list of SES (suppressions/suppression-store.ts): those whose reason SES reported. An import names any
-- reason it likes, so `reason` does not say it. Requests of an account cannot write these columns. Null: SES reported nothing, or the code of
-- the release before stored it; then `send_id` says so.
-- step: the reason that SES reported
alter table suppressions
  add column if not exists reported_reason text,
  -- When feedback about a mail reported it. Null for entries from the list of SES, and from before this column.
  add column if not exists reported_at timestamptz,
  drop constraint if exists suppressions_reported_reason_known,
  add constraint suppressions_reported_reason_known check (reported_reason in ('hard_bounce', 'complaint')) not valid;
-- step: validates the check
alter table suppressions validate constraint suppressions_reported_reason_known;
-- repeat: entries that name a send
-- The retention of records makes entries forget their send later (0078).
update suppressions
set reported_reason = reason
where reason <> 'manual'
  and (account_id, mode, email) in (
    select account_id, mode, email
    from suppressions
    where send_id is not null
      and reported_reason is null
      and reason <> 'manual'
    order by account_id, mode, email
    limit 5000
    for update skip locked
  );
