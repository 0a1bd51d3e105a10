-- Expands, and replaces an index. Accept and claim look an address up by account, mode and email. The old index also starts with account
-- and mode: a plan made while the table was empty used it and later read every suppression of the account. A partial index serves only
-- statements that state its condition, and only the list states it. The condition is true for every row.
--
-- Building the index blocks writes to suppressions (feedback waits), not reads. Processes of the version before stay correct without the
-- old index; until they are replaced, their list sorts all suppressions of the account.
create index suppressions_listed_idx on suppressions (account_id, mode, id) where reason <> '';
drop index suppressions_newest_idx;
