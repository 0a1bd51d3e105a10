-- Expands. What an API key may do, and its secrets as rows of their own, so that a key can have two secrets while its owner replaces one.
-- A key without scopes does what the published interface says: it sends, and reads the status of a send.
alter table api_keys
  add column scopes text[] not null default '{send}',
  add column domain text,
  add column last_used_at timestamptz,
  -- Null until the key is rolled: its first secret has its id. Nearly every request comes with the newest secret, which has no end of its
  -- own, so the accept statement needs no row of api_key_secrets for it (measured: 3 blocks of 35 a send).
  add column newest_secret_id uuid,
  add constraint api_keys_scopes_known check (
    cardinality(scopes) > 0 and scopes <@ '{send,read,suppressions,domains,webhooks}'::text[]
  ),
  -- A key for one domain must not read what the account sent from others.
  add constraint api_keys_domain_sends_only check (domain is null or scopes = '{send}'),
  add constraint api_keys_domain_lower_case check (domain = lower(domain)),
  -- For the foreign key of api_key_secrets.
  add constraint api_keys_of_account_unique unique (id, account_id);

-- API processes remember these for the life of the process.
create function refuse_other_rights() returns trigger
  language plpgsql
as $$
begin
  raise exception 'account, type, scopes and domain of an API key never change' using errcode = 'restrict_violation';
end;
$$;

create trigger api_keys_rights_are_final
  before update of account_id, type, scopes, domain on api_keys
  for each row
  when ((new.account_id, new.type, new.scopes, new.domain) is distinct from (old.account_id, old.type, old.scopes, old.domain))
  execute function refuse_other_rights();

-- The first secret of a key has the id of the key. The secret itself is never stored: hmac is keyed with the pepper named by
-- pepper_id. The newest secret of a key has no end of its own; expiry and revocation of the key end all of them.
-- Without a reference to accounts: it would lock accounts after api_keys, and accept locks them in the opposite order.
create table api_key_secrets (
  id uuid primary key,
  key_id uuid not null,
  account_id uuid not null,
  pepper_id text not null,
  hmac bytea not null,
  created_at timestamptz not null default now(),
  ends_at timestamptz,
  constraint api_key_secrets_hmac_unique unique (hmac),
  -- With the account: no account can add a secret to the key of another.
  constraint api_key_secrets_key_of_account foreign key (key_id, account_id) references api_keys (id, account_id)
);

-- Of two rolls at the same time the second finds no newest secret and runs again.
create unique index api_key_secrets_newest_unique on api_key_secrets (key_id) where ends_at is null;
create index api_key_secrets_key_idx on api_key_secrets (key_id, id);

insert into api_key_secrets (id, key_id, account_id, pepper_id, hmac, created_at)
select id, id, account_id, pepper_id, secret_hmac, created_at
from api_keys
order by id;

-- For processes of the release before, which know only api_keys.secret_hmac: they create keys and re-hash them. This release writes the
-- row itself, and the trigger, which runs after the statement, finds it. Security definer: the role of an account may not read hashes.
create function keep_secret_of_key() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into api_key_secrets (id, key_id, account_id, pepper_id, hmac)
    values (new.id, new.id, new.account_id, new.pepper_id, new.secret_hmac)
    on conflict (id) do nothing;
  else
    update api_key_secrets
    set pepper_id = new.pepper_id, hmac = new.secret_hmac
    where hmac = old.secret_hmac
      and not exists (select from api_key_secrets s where s.hmac = new.secret_hmac);
  end if;
  return null;
end;
$$;

revoke all on function keep_secret_of_key () from public;

create trigger api_keys_keep_new_secret after insert on api_keys
  for each row execute function keep_secret_of_key();
create trigger api_keys_keep_changed_secret after update of secret_hmac on api_keys
  for each row when (new.secret_hmac <> old.secret_hmac) execute function keep_secret_of_key();

create policy own_account on api_key_secrets
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table api_key_secrets enable row level security;

grant select (scopes, domain, last_used_at),
  insert (scopes, domain),
  update (key_prefix, pepper_id, secret_hmac, newest_secret_id)
  on api_keys to pg_database_owner;
grant select (id, key_id, account_id, created_at, ends_at),
  insert (id, key_id, account_id, pepper_id, hmac),
  update (ends_at),
  delete
  on api_key_secrets to pg_database_owner;
