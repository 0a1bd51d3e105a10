-- Expands. Listeners: endpoints of `postern listen`, which takes its notifications from the API instead of receiving them at a URL
-- (webhooks/listeners/).

-- Null for an endpoint with a URL. Each take moves it; a chore deletes a listener after it.
alter table webhook_endpoints add column listens_until timestamptz;

create index webhook_endpoints_listeners_idx on webhook_endpoints (listens_until) where listens_until is not null;
