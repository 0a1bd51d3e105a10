/**
 * A step of the next release that changes a hot table, adds a table and builds an index on every partition, because the steps between
 * two commits may change nothing that is in use. Old code must not notice it.
 */
export const plantedStep = {
  file: "9999_planted.sql",
  sql: `-- Expands. What the proof "upgrade" adds to the next release.
-- step: a column of a table that every request writes
alter table sends add column if not exists planted text;
-- step: a table
create table if not exists planted (id uuid primary key, noted_at timestamptz not null default now());
-- partitioned index: an index on every partition
create index sends_planted_idx on sends (planted);
`,
};

/** Removes what the code before it writes. Only a contract step may, and only when no such code runs. */
export const incompatibleStep = {
  file: "9999_subject_removed.sql",
  sql: `-- Contracts. What the proof "upgrade" plants as an incompatible step.
alter table sends drop column subject;
`,
};
