-- Expands. SES tenants (SES_TENANTS, domains/attach-tenants.ts). SES accepts mail with a tenant only if the identity and the configuration set are
-- associated with it.
alter table accounts
  -- The tenant exists and has the configuration set.
  add column tenant_ready_at timestamptz;

-- The columns of `domains` are in a file of their own: a migration that blocks two tables of a claim could deadlock with it.
