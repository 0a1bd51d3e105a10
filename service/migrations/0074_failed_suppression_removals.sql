-- Expands. An operator lists the removals from the list of SES that failed. Almost no row has an error, so the index stays small.
create index removed_suppressions_failed_idx on removed_suppressions (removed_at) where provider_error is not null;
