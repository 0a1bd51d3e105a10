-- Expands. The custom MAIL FROM domain of a domain (domains/mail-from/). The wish is stored first; a worker repeats the call to SES until
-- SES has it, and reads its status later.
alter table domains
  -- Null: SES uses its own return path.
  add column mail_from_subdomain text,
  -- New with every wish, so that an earlier call to SES does not count for a later wish. Null: the account never had one.
  add column mail_from_wished_at timestamptz,
  add column mail_from_is_applied boolean not null default true,
  add column mail_from_status text,
  -- When a worker applies the wish or reads its status.
  add column mail_from_due_at timestamptz,
  add constraint domains_mail_from_status_known
    check (mail_from_status in ('Pending', 'Success', 'Failed')),
  add constraint domains_mail_from_complete
    check (mail_from_subdomain is null or (mail_from_wished_at is not null and mail_from_status is not null));

create index domains_mail_from_due_idx on domains (mail_from_due_at) where mail_from_due_at is not null;

-- SES has one MAIL FROM domain for an identity, which all accounts with the name share. When another account than the one that set it
-- gets the name, its own wish counts from then on, also if it is to have none.
create function take_over_mail_from() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  update domains
  set mail_from_is_applied = false, mail_from_due_at = now(), mail_from_wished_at = now()
  where domain_name = old.domain_name
    and id <> old.id
    and registered_at is not null;
  return null;
end
$$;

create trigger domains_mail_from_removal after delete on domains
  for each row when (old.mail_from_wished_at is not null)
  execute function take_over_mail_from();

create function adopt_mail_from() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if exists (
    select from domains other
    where other.domain_name = new.domain_name and other.id <> new.id and other.mail_from_wished_at is not null
  ) then
    new.mail_from_wished_at := now();
    new.mail_from_is_applied := false;
    new.mail_from_due_at := now();
  end if;
  return new;
end
$$;

create trigger domains_mail_from_adoption before update of verification_status on domains
  for each row when (new.verification_status = 'Success' and old.verification_status <> 'Success')
  execute function adopt_mail_from();
