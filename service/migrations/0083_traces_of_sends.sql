-- Expands. The trace that a send belongs to: 16 bytes of the trace id, 8 of the span id (tracing.ts). Null without a sampled trace, which costs
-- nothing.
alter table sends add column trace_context bytea;
