-- Expands. A person or a program can put an address on the suppression list: reason `manual`, with a note for people.
-- The checks are not validated here: that reads the whole table, and this transaction blocks everything that uses it. The next migration
-- validates them while reads and writes go on. Processes of the release before keep a manual entry as it is, and filter its address.
alter table suppressions
  add column note text,
  drop constraint suppressions_reason_known,
  add constraint suppressions_reason_known check (reason in ('hard_bounce', 'complaint', 'manual')) not valid,
  add constraint suppressions_note_length check (char_length(note) <= 500) not valid;

grant insert (id, account_id, mode, email, reason, note), update (reason) on suppressions to pg_database_owner;
