-- Expands. When the operator erased an address from the record of this send. Later feedback about it must not write the address back
-- (feedback/record-reports.ts). Null for nearly all sends, which costs nothing.
alter table sends add column erased_at timestamptz;
