-- Expands. Validates what 0059_manual_suppressions added. Reads and writes of the table go on meanwhile.
alter table suppressions validate constraint suppressions_reason_known;
alter table suppressions validate constraint suppressions_note_length;
