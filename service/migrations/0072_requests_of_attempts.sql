-- Expands. What the request of an attempt had and nothing else keeps: an endpoint can get another URL, and secrets end. Null when no request
-- was made.
alter table webhook_attempts add column url text;
alter table webhook_attempts add column signature text;
