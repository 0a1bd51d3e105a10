-- What an operator holds is held until an operator lets go: it is neither probed nor released by what the provider answers,
-- and it stands beside a hold of the provider's.
alter table provider_state
  add column operator_held_since timestamptz,
  add column operator_note text;

alter table accounts
  add column held_at timestamptz,
  add column hold_note text;

create index accounts_held_idx on accounts (id) where held_at is not null;

-- parked: its account is held or suspended; ready again when it is not. due_at says since when. Changing the check and
-- making the index read send_queue once, which is as small as what is on its way.
alter table send_queue
  drop constraint send_queue_state_known,
  add constraint send_queue_state_known check (state in ('ready', 'leased', 'waiting', 'in-doubt', 'parked'));

create index send_queue_parked_idx on send_queue (mode, account_id) where state = 'parked';

-- Stands still from the first hold on until the last one is gone.
create or replace function retry_clock(mode text) returns timestamptz
language sql stable
begin atomic
  select now() - p.held_for - coalesce(now() - least(p.held_since, p.operator_held_since), '0')
  from provider_state p
  where p.mode = retry_clock.mode;
end;

-- Since when the alarm about missing feedback is on, so that it is told once and not by every worker.
alter table feedback_progress
  add column gap_since timestamptz;
