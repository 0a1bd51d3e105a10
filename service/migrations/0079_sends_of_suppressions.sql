-- Expands. Finds the suppressions that name a send when its record is dropped (0078). Only bounces and complaints write it. Building it blocks
-- writes to suppressions (feedback waits), not reads.
create index suppressions_send_idx on suppressions (send_id) where send_id is not null;
