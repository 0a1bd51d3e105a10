-- Expands. A replay of what failed in its range reads the deliveries of the endpoint instead of events and notifications. A worker of the
-- release before reads notifications instead and sends more than was asked for, with the same ids.
alter table webhook_replays add column only_failed boolean not null default false;
alter table webhook_replays drop constraint webhook_replays_part_known;
alter table webhook_replays add constraint webhook_replays_part_known check (part in ('events', 'notifications', 'deliveries'));
