-- How far the provider's events have been read. in-doubt/resolve-in-doubt.ts decides with it what the absence of an event proves.
create table feedback_progress (
  mode text primary key,
  -- The submission time of the latest submission that the provider reported, and when it last reported one.
  reported_submission_at timestamptz,
  last_report_at timestamptz,
  -- When the queue of events was last known to be empty.
  queue_empty_at timestamptz,
  -- Consumers read the queue without a gap from polled_since to polled_at.
  polled_at timestamptz,
  polled_since timestamptz,
  -- Workers were running without a gap from workers_up_since to workers_up_at.
  workers_up_at timestamptz,
  workers_up_since timestamptz,
  -- How far consumers had read at read_up_to_noted_at, and at the note before that one. The older one is confirmed: a
  -- consumer that crashed at that time is known to be missing by now.
  read_up_to timestamptz,
  read_up_to_noted_at timestamptz,
  confirmed_read_up_to timestamptz,
  -- Since when the alarm about missing feedback is on. One worker logs it, and not all of them.
  gap_since timestamptz,
  constraint feedback_progress_mode_known check (mode in ('live', 'test'))
);

insert into feedback_progress (mode) values ('live'), ('test');

-- The consumers of the queue of events. A running consumer renews its heartbeat; a row without one belongs to a crashed
-- consumer. SQS redelivers what that one held in flight from visible_again_at on, and until consumers have read that far,
-- the absence of an event proves nothing. Messages that a running consumer left in the queue have a row of their own, whose
-- heartbeat is -infinity.
create table feedback_consumers (
  id uuid primary key,
  mode text not null,
  heartbeat_at timestamptz not null,
  visible_again_at timestamptz not null,
  constraint feedback_consumers_mode_known check (mode in ('live', 'test'))
);

-- Feedback that could not be applied: the send is unknown (yet), the time lies in the future, or the text cannot be read or its
-- content cannot be stored (unreadable).
create table feedback_quarantine (
  id bigint generated always as identity primary key,
  received_at timestamptz not null default now(),
  reason text not null,
  raw text not null,
  -- The same text is stored once, however often it arrives.
  raw_hash bytea not null,
  tries integer not null default 0,
  -- Null when Postern does not try again by itself.
  next_try_at timestamptz,
  constraint feedback_quarantine_raw_once unique (raw_hash),
  constraint feedback_quarantine_reason_known check (reason in ('unknown-send', 'unreadable', 'from-the-future'))
);

create index feedback_quarantine_due_idx on feedback_quarantine (next_try_at) where next_try_at is not null;
