-- When the next recipient may be handed over, in microseconds since 1970. It changes with every claim, and a row of a table
-- would leave an old version each time: while somebody holds a snapshot none of them may be removed, and every claim steps
-- over all of them. A sequence has no versions. Unlogged: after a crash the next one may go at once.
create unlogged sequence pace_live minvalue 0 start 0;
create unlogged sequence pace_test minvalue 0 start 0;
drop table pacing;

-- Nobody else reads or sets it before the end of the transaction.
create function lock_pace(mode text) returns timestamptz
language plpgsql volatile
as $$
declare
  microseconds bigint;
begin
  if mode = 'live' then
    perform pg_advisory_xact_lock('pace_live'::regclass::oid::integer, 0);
    select last_value into microseconds from pace_live;
  else
    perform pg_advisory_xact_lock('pace_test'::regclass::oid::integer, 0);
    select last_value into microseconds from pace_test;
  end if;
  return timestamptz 'epoch' + microseconds * interval '1 microsecond';
end;
$$;

-- For who holds the lock.
create function set_pace(mode text, next_at timestamptz) returns timestamptz
language plpgsql volatile
as $$
begin
  perform setval(
    case mode when 'live' then 'pace_live'::regclass else 'pace_test'::regclass end,
    (extract(epoch from next_at) * 1000000)::bigint
  );
  return next_at;
end;
$$;
