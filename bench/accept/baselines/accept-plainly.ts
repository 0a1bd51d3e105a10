import { hash, randomUUIDv7 } from "node:crypto";
import type { PoolClient } from "pg";
import { apiKeyHmac, isIntactApiKey } from "../../../service/src/api-keys/api-key.ts";
import { parseAddress, parseMailbox } from "../../../service/src/mail-address.ts";
import { type SendContent, sealContent } from "../../../service/src/sends/content.ts";
import { contentKey, keyPepper } from "../../plain/plain-secrets.ts";
import { type Mail, Refused, type Stored } from "./serve-sends.ts";

/**
 * What POST /api/v1/send does, one statement after the other, as a careful engineer writes it without sharing round trips: the key, the
 * rate limits, the domain, the idempotency key, the suppressions, the sealed content, the record, the queue row, and an event for each
 * suppressed recipient. Every statement is prepared. It leaves out what Postern has beyond that: quotas, usage, fairness, holds, logs.
 */
export async function acceptPlainly(client: PoolClient, mail: Mail, apiKey: string): Promise<Stored> {
  const { content, domain, recipients } = parse(mail);
  const sender = await findSender(client, apiKey);
  await countRequest(client, sender);
  await requireVerified(client, sender, domain);
  const id = randomUUIDv7();
  const queuedAt = new Date().toISOString();
  const original = await reserveKey(client, sender, mail, { id, queuedAt });
  if (original !== undefined) return original;
  const suppressed = await findSuppressed(client, sender, recipients);
  const isQueued = suppressed.length < recipients.length;
  const record = { id, queuedAt, status: isQueued ? "queued" : "suppressed", domain, suppressed };
  await storeRecord(client, sender, mail, record);
  for (const recipient of suppressed) await storeSuppressionEvent(client, sender, id, recipient);
  if (isQueued) {
    await storeContent(client, id, sealContent(contentKey, { accountId: sender.accountId, sendId: id }, content));
    await enqueue(client, sender, id);
  }
  return { id, idempotencyKey: mail.idempotency_key ?? id, queuedAt, isRepeat: false };
}

interface Sender {
  accountId: string;
  keyId: string;
  limits: [number, number, number];
}

function parse({ from, to, subject, text }: Mail): { content: SendContent; domain: string; recipients: string[] } {
  const sender = parseMailbox(from);
  if ("problem" in sender) throw new Refused(422, "from is not an address");
  const addresses = to.map((each) => {
    const address = parseAddress(each);
    if ("problem" in address) throw new Refused(422, "to has something that is not an address");
    return address;
  });
  return {
    content: {
      from: { name: sender.name, address: sender.address.ascii },
      to: addresses.map(({ ascii }) => ascii),
      cc: [],
      bcc: [],
      replyTo: undefined,
      subject,
      html: undefined,
      text,
    },
    domain: sender.address.domain,
    recipients: [...new Set(addresses.map(({ key }) => key))],
  };
}

async function findSender(client: PoolClient, apiKey: string): Promise<Sender> {
  if (!isIntactApiKey(apiKey)) throw new Refused(401, "the key is not a key");
  const { rows } = await client.query<Sender>({
    name: "find-sender",
    text: `
      select a.id as "accountId", k.id as "keyId",
        array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as limits
      from api_keys k
      join accounts a on a.id = k.account_id
      where k.secret_hmac = $1
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
        and 'send' = any (k.scopes)
        and a.suspended_at is null`,
    values: [apiKeyHmac(keyPepper, apiKey)],
  });
  const [sender] = rows;
  if (sender === undefined) throw new Refused(401, "the key is unknown or may not send");
  return sender;
}

/** Windows that slide by whole seconds. */
async function countRequest(client: PoolClient, { accountId, limits }: Sender): Promise<void> {
  await client.query({
    name: "count-request",
    text: `
      insert into request_counts as c (account_id, second, count)
      values ($1, date_trunc('second', clock_timestamp()), 1)
      on conflict (account_id, second) do update
      set count = c.count + 1`,
    values: [accountId],
  });
  const { rows } = await client.query<{ counts: number[] }>({
    name: "read-windows",
    text: `
      select array[
        sum(count) filter (where second > clock_timestamp() - interval '1 s'),
        sum(count) filter (where second > clock_timestamp() - interval '10 s'),
        sum(count)
      ]::integer[] as counts
      from request_counts
      where account_id = $1
        and second > clock_timestamp() - interval '60 s'`,
    values: [accountId],
  });
  const [{ counts } = { counts: [] }] = rows;
  if (limits.some((limit, index) => (counts[index] ?? 0) > limit)) throw new Refused(429, "too many requests");
}

async function requireVerified(client: PoolClient, { accountId }: Sender, domain: string): Promise<void> {
  const { rowCount } = await client.query({
    name: "find-domain",
    text: "select true from domains where account_id = $1 and name = $2 and verified_at is not null",
    values: [accountId, domain],
  });
  if (rowCount === 0) throw new Refused(403, "the domain is not verified");
}

/** Returns the first answer for a key that was used before. */
async function reserveKey(
  client: PoolClient,
  { accountId }: Sender,
  mail: Mail,
  { id, queuedAt }: { id: string; queuedAt: string },
): Promise<Stored | undefined> {
  const { idempotency_key: idempotencyKey, ...payload } = mail;
  if (idempotencyKey === undefined) return undefined;
  const keyHash = hash("sha256", `${accountId} ${idempotencyKey}`, "buffer");
  const payloadHash = hash("sha256", JSON.stringify(payload), "buffer");
  const { rowCount } = await client.query({
    name: "reserve-key",
    text: `
      insert into idempotency_keys (key_hash, send_id, payload_hash, queued_at)
      values ($1, $2, $3, $4)
      on conflict (key_hash) do nothing`,
    values: [keyHash, id, payloadHash, queuedAt],
  });
  if (rowCount === 1) return undefined;
  const { rows } = await client.query<{ id: string; payloadHash: Buffer; queuedAt: Date }>({
    name: "find-original",
    text: `
      select send_id as id, payload_hash as "payloadHash", queued_at as "queuedAt"
      from idempotency_keys
      where key_hash = $1`,
    values: [keyHash],
  });
  const [original] = rows;
  if (original === undefined || !original.payloadHash.equals(payloadHash)) throw new Refused(409, "another payload");
  return { id: original.id, idempotencyKey, queuedAt: original.queuedAt.toISOString(), isRepeat: true };
}

async function findSuppressed(client: PoolClient, { accountId }: Sender, recipients: string[]): Promise<string[]> {
  const { rows } = await client.query<{ email: string }>({
    name: "find-suppressed",
    text: "select email from suppressions where account_id = $1 and email = any ($2)",
    values: [accountId, recipients],
  });
  return rows.map(({ email }) => email);
}

async function storeRecord(
  client: PoolClient,
  { accountId, keyId }: Sender,
  { from, to, subject }: Mail,
  record: { id: string; queuedAt: string; status: string; domain: string; suppressed: string[] },
): Promise<void> {
  const { id, queuedAt, status, domain, suppressed } = record;
  await client.query({
    name: "store-record",
    text: `
      insert into sends (id, account_id, api_key_id, status, from_address, from_domain, to_addresses, subject, suppressed, queued_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      id,
      accountId,
      keyId,
      status,
      from,
      domain,
      to,
      subject,
      suppressed.length === 0 ? null : suppressed,
      queuedAt,
    ],
  });
}

async function storeSuppressionEvent(client: PoolClient, { accountId }: Sender, id: string, recipient: string) {
  await client.query({
    name: "store-suppression-event",
    text: `
      insert into events (id, send_id, account_id, type, recipient, at)
      values ($1, $2, $3, 'Suppression', $4, now())`,
    values: [randomUUIDv7(), id, accountId, recipient],
  });
}

async function storeContent(client: PoolClient, id: string, sealed: Buffer): Promise<void> {
  await client.query({
    name: "store-content",
    text: "insert into send_contents (id, sealed) values ($1, $2)",
    values: [id, sealed],
  });
}

async function enqueue(client: PoolClient, { accountId }: Sender, id: string): Promise<void> {
  await client.query({
    name: "enqueue",
    text: "insert into send_queue (id, account_id, state, due_at) values ($1, $2, 'ready', now())",
    values: [id, accountId],
  });
}
