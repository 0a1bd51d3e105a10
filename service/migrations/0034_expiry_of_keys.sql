-- Expands. Notices about API keys that expire (notices/find-causes.ts).
create index api_keys_expiry_idx on api_keys (expires_at) where expires_at is not null and revoked_at is null;
