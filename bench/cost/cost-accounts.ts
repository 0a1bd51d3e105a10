import { hash } from "node:crypto";
import type { Candidate } from "../../service/src/accept/accept-batch.ts";
import type { Queryable } from "../../service/src/db/database.ts";

/** So many that the window of the rate limit stays short: each account sends a few times. */
export const accounts = 2_500;
const sealedBytes = 2_000;

/** Accounts, each with a key and a verified domain. */
export async function insertAccounts(db: Queryable): Promise<void> {
  const numbers = Array.from({ length: accounts }, (_, number) => number);
  const ids = numbers.map(accountIdOf);
  await db.query({
    name: "insert-accounts",
    text: `insert into accounts (id, name) select id, 'Customer' from unnest($1::uuid[]) as id`,
    values: [ids],
  });
  await db.query({
    name: "insert-keys",
    text: `
      insert into api_keys (id, account_id, name, type, key_prefix, pepper_id, secret_hmac)
      select id, id, 'a key', 'live', 'postern_live_AAAAAA...', 'k1', hmac
      from unnest($1::uuid[], $2::bytea[]) as given (id, hmac)`,
    values: [ids, numbers.map(keyHmacOf)],
  });
  await db.query({
    name: "insert-domains",
    text: `
      insert into domains (account_id, domain_name, challenge_token, configuration_set_name, verification_status, identity_arn,
        dkim_tokens, dkim_zone, registered_at, is_dkim_verified, next_check_at)
      select id, name, 'token', 'postern-AA', 'Success', 'arn:aws:ses:eu-central-1:000000000000:identity/' || name,
        '{a,b,c}', 'dkim.amazonses.com', now(), true, now() + interval '1 day'
      from unnest($1::uuid[], $2::text[]) as given (id, name)`,
    values: [ids, numbers.map(domainOf)],
  });
  await db.query({ name: "no-pace", text: `update provider_state set max_per_second = 1000000` });
}

/** A send of 2 KB to one recipient. All bytes except the time in its id follow from its number, so that runs are alike. */
export function candidateOf(number: number, nowMs: number, hasKey: boolean): Candidate {
  const account = number % accounts;
  const [domain, accountId] = [domainOf(account), accountIdOf(account)];
  const recipient = `jane.${digest("recipient", number).toString("hex").slice(0, 12)}@example.com`;
  return {
    accountId,
    mode: "live",
    secretId: accountId,
    apiKeyId: accountId,
    send: {
      id: sendIdOf(number, nowMs),
      idempotencyKey: undefined,
      idempotencyHash: hasKey ? digest("key", number).subarray(0, 16) : undefined,
      fingerprint: Buffer.concat([digest("fingerprint", number), digest("more", number)]),
      payloadHash: digest("payload", number).subarray(0, 8),
      generatedKey: undefined,
      fromDomain: domain,
      fromAddress: `Shop <orders@${domain}>`,
      recipients: [recipient],
      toAddresses: [recipient],
      toCount: 1,
      ccCount: 0,
      replyTo: undefined,
      subject: "Your order is on its way",
      sealed: Buffer.alloc(sealedBytes, digest("sealed", number)),
    },
  };
}

function sendIdOf(number: number, nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, "0");
  const rest = digest("send", number).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

function accountIdOf(account: number): string {
  return `01900000-0000-7000-8000-${account.toString(16).padStart(12, "0")}`;
}

function domainOf(account: number): string {
  return `customer-${account}.io`;
}

function keyHmacOf(account: number): Buffer {
  return digest("secret", account);
}

function digest(what: string, number: number): Buffer {
  return hash("sha256", `${what} ${number}`, "buffer");
}
