import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

/** Sends of other people with the address in the names of sender and reply address, and as a part of URLs. */
export async function writeInNames(db: Database, { sendIds, address }: { sendIds: string[]; address: string }) {
  await change(
    db,
    String.raw`
    update sends
    set from_address = '"' || $2 || ' via Shop (for <' || upper($2) || '>)" <' || coalesce(substring(from_address from '<([^<>]*)>$'), from_address) || '>',
      reply_to = '"' || replace($2, '@', '\@') || '" <answers@shop.test>',
      metadata = '{"url":"https://shop.test/?next=%2Fuser%3Fof%3D' || replace($2, '@', '%40') || '"}'
    where id = any ($1::uuid[])`.replaceAll("$2", "$2::text"),
    [sendIds, address],
  );
}

/** The rows around a send that name an address, one in each table that can hold it. The send itself is not changed. */
export async function writeEverywhere(
  db: Database,
  { accountId, sendId, address }: { accountId: string; sendId: string; address: string },
): Promise<void> {
  const statements = [
    `insert into suppressions (id, account_id, mode, email, reason, note)
     values (new_id_at(now()), $1, 'test', $2::text || '@example.test', 'manual', 'also ' || $3)`,
    `insert into delivery_delays (id, send_id, account_id, mode, delayed_at, recipient, delay_type, reply)
     values (new_id_at(now()), $2, $1, 'live', now(), $3, 'General', '451 <' || $3 || '> later')`,
    `insert into send_attempts (send_id, attempt, started_at, outcome, detail)
     values ($2, 7, now(), 'refused', 'Address ' || $3 || ' was refused for ' || $1::text)`,
    `insert into idempotency_keys (key_hash, account_id, send_id, fingerprint, status, suppressed_recipients)
     values (gen_random_uuid(), $1, $2, '', 'suppressed', array['other@example.test', $3])`,
    `insert into feedback_quarantine (reason, raw, raw_hash)
     values ('unreadable', '{"mail":{"destination":["' || $3 || '"]},"of":"' || $1::text || $2::text || '"}', sha256(convert_to($2::text, 'UTF8')))`,
    `insert into sandbox_reports (report, happens_at, due_at)
     values (jsonb_build_object('sendId', $2::text, 'recipients', jsonb_build_array($3::text, $1::text)), now(), now() + interval '1 day')`,
    `insert into moved_feedback (account_id, feedback) values ($1, jsonb_build_object('sendId', $2::text, 'recipients', jsonb_build_array($3::text)))`,
    `insert into invitations (id, account_id, email, role, token_hash, expires_at)
     values (gen_random_uuid(), $1, $3, 'viewer', sha256(convert_to($2::text, 'UTF8')), now() + interval '1 day') on conflict do nothing`,
    `insert into suppression_removals (email, requested_at) select $3, now() where $1::uuid <> $2::uuid on conflict do nothing`,
    `insert into removed_suppressions (account_id, mode, email, removed_by_kind, removed_by_name, provider_status)
     values ($1, 'test', $3, 'user', 'x', 'not_needed'), ($1, 'test', $2::text, 'user', $3, 'not_needed') on conflict do nothing`,
    `update accounts set name = 'Shop of ' || $3 || left($2::text, 0), hold_note = $3 where id = $1`,
    `insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac, created_by_email)
     values ($1, gen_random_uuid(), 'for ' || $3, 'live', 'p', 'k1', sha256(convert_to($2::text, 'UTF8')), $3)`,
    `update domains set record_checks = jsonb_build_array(jsonb_build_object('foundValue', 'rua=mailto:' || $3 || left($2::text, 0))) where account_id = $1`,
    `insert into webhook_endpoints (id, account_id, mode, url, types, description)
     values ($2, $1, 'test', 'https://example.test/' || left($2::text, 8), '{send.sent}', 'asked for by ' || $3)`,
    `update provider_state set operator_note = 'asked by ' || $3 || left($1::text || $2::text, 0), findings = jsonb_build_array($3::text) where mode = 'test'`,
    `insert into notifications (id, public_id, account_id, mode, type, occurred_at, send_id, facts, envelope)
     values (new_id_at(now()), gen_random_uuid(), $1, 'live', 'send.bounced', now(), $2, jsonb_build_object('recipient', $3::text),
       '{"data":{"recipient":"' || $3 || '"}}')`,
    `insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt, answer, failure)
     values (new_id_at(now()), $2, $1, $2, 1, 'no user ' || $3, 'because of ' || $3)`,
    `insert into audit_entries (id, account_id, actor_kind, actor_name, action, target_kind, target_id, target_name, before, after, reason)
     values (new_id_at(now()), $1, 'user', $3, 'suppression.add', 'suppression', $3, $3, jsonb_build_object('email', $3::text),
       jsonb_build_object('email', $3::text, 'send', $2::text), 'asked by ' || $3)`,
  ];
  for (const text of statements) await change(db, typed(text), [accountId, sendId, address]);
}

/** PostgreSQL deduces the type of a parameter from its first use, and these are used as different ones. */
function typed(text: string): string {
  return text.replaceAll("$1", "$1::uuid").replaceAll("$2", "$2::uuid").replaceAll("$3", "$3::text");
}
