-- Expands. Log-in at an OpenID Connect issuer (oidc/). A person is found by issuer and subject and never by an email address, which
-- another person may have at the issuer. So the email of such a user, which local users log in with, is <id>@oidc.invalid;
-- contact_email is the address that the issuer has verified, for lists and notices. account_id stays null: code of the release before, which
-- knows neither roles nor this way to log in, then finds neither user nor login.
--
-- These users have no password, in code of any version: no text has this hash, which is 32 zero bytes under a salt of zero bytes.
alter table users
  add column is_oidc boolean not null default false,
  add column contact_email text,
  add constraint users_oidc_without_password check (
    not is_oidc or password_hash = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  );
create index users_contact_email_idx on users (contact_email) where contact_email is not null;
grant select (is_oidc, contact_email) on users to pg_database_owner;

-- A log-in adds, changes and removes only the memberships that a log-in gave.
--
-- A log-in that no longer grants the membership of an owner closes it instead: an account keeps an owner. A closed membership opens no login;
-- a later log-in that grants it opens it again.
alter table memberships
  add column from_oidc boolean not null default false,
  add column is_closed boolean not null default false;

-- Whoever closes a membership has locked the user, and so has whoever adds a login, before this statement.
create function skip_closed_login() returns trigger
  language plpgsql
as $$
begin
  if exists (select from memberships where user_id = new.user_id and account_id = new.account_id and is_closed) then
    return null;
  end if;
  return new;
end;
$$;

-- Fires after logins_have_account, by its name.
create trigger logins_need_open_membership
  before insert on logins
  for each row execute function skip_closed_login();

-- The insert of the identity comes first and makes two first log-ins of one person run one after the other, so the user comes later in the
-- transaction.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  last_login_at timestamptz not null default now(),
  constraint oidc_identities_subject_once primary key (issuer, subject),
  constraint oidc_identities_user_once unique (user_id),
  constraint oidc_identities_user_exists foreign key (user_id) references users (id) on delete cascade deferrable initially deferred
);

-- A log-in at the issuer counts once, also if the issuer accepts its code twice. Rows outlive the cookie of the log-in; later log-ins delete
-- them.
create table used_oidc_states (
  state_hash bytea primary key,
  expires_at timestamptz not null
);
create index used_oidc_states_expiry_idx on used_oidc_states (expires_at);
