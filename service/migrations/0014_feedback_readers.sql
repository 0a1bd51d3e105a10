-- Who reads the provider's queue of events. A reader renews its row; one that is not renewed is of a reader that died. What it
-- had in hand can be read again from visible_again_at on, and until reading has come that far, silence proves nothing. Messages that
-- a living reader had to leave in the queue have a row of their own, never seen.
create table feedback_consumers (
  id uuid primary key,
  mode text not null,
  heartbeat_at timestamptz not null,
  visible_again_at timestamptz not null,
  constraint feedback_consumers_mode_known check (mode in ('live', 'test'))
);

alter table feedback_progress
  -- Somebody was there to listen, since then without a gap, until then.
  add column workers_up_since timestamptz,
  add column workers_up_at timestamptz,
  -- The queue was read without a gap since then, until polled_at.
  add column polled_since timestamptz,
  -- How far reading had come at read_up_to_noted_at, and at the time of the note before that one: long enough ago for a reader
  -- that died then to be missed by now.
  add column read_up_to timestamptz,
  add column read_up_to_noted_at timestamptz,
  add column confirmed_read_up_to timestamptz;
