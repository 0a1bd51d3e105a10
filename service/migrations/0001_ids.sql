-- Ids have the layout of UUIDv7: the first 48 bits are the time in milliseconds, so the order of ids is the order of time.

-- The smallest id of a moment. Ranges of ids begin with it.
create function first_id_at(moment timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid;

create function time_of_id(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return timestamptz 'epoch'
    + ('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint * interval '1 millisecond';

-- A new random id. PostgreSQL has a function of its own from version 18 on.
create function new_id_at(moment timestamptz) returns uuid
  language sql volatile parallel safe
  return (
    left(replace(first_id_at(moment)::text, '-', ''), 12) || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
  )::uuid;

-- The id of the event "this recipient of this send was suppressed": the time of the send and a hash of both. A second
-- attempt to record the same suppression conflicts with the first one.
create function suppression_event_id(send_id uuid, recipient text) returns uuid
language sql immutable parallel safe
return (
  select (left(replace(send_id::text, '-', ''), 12) || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid
  from encode(sha256(convert_to(send_id::text || ' Suppression ' || recipient, 'UTF8')), 'hex') as hash
);
