-- Expands. What each worker wrote last while every commit waited for a synchronous standby. A worker that finds its last mark on a promoted
-- standby knows that nothing was lost before it (in-doubt/failover-marks.ts). Small: one row per worker of the last day.
create table failover_marks (
  worker uuid not null,
  mark bigint not null,
  marked_at timestamptz not null,
  constraint failover_marks_once primary key (worker)
) with (fillfactor = 50);
