-- Expands. SES can deny one identity or configuration set while it accepts all other mail. Then the live mail of that domain is parked,
-- and one of its sends a minute is submitted as a probe (queue/denied-domains.ts).
alter table domains
  add column denied_since timestamptz,
  -- The provider's name of the error.
  add column denial_code text,
  -- When the next probe may be submitted.
  add column probe_at timestamptz,
  -- The send that a claim leases although its domain is denied.
  add column probe_send_id uuid,
  add constraint domains_denial_complete
    check ((denied_since is null) = (denial_code is null) and (denied_since is null) = (probe_at is null));

create index domains_denied_idx on domains (probe_at) where denied_since is not null;
