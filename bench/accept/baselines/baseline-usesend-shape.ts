import { hash, randomUUIDv7 } from "node:crypto";
import { apiKeyHmac } from "../../../service/src/api-keys/api-key.ts";
import { keyPepper } from "../../plain/plain-secrets.ts";
import { openEmails, openQueue, openRedis, storeAndQueue } from "./emails-queue.ts";
import { Refused, type Stored, serveSends } from "./serve-sends.ts";

/**
 * What useSend, self-hosted, does for a send with an idempotency key, in its order: the key and its team, the first look and the lock for
 * the idempotency key in Redis, the key with its domain, the domain of the sender, the suppressions, the row, the job in BullMQ, and the
 * result and the end of the lock in Redis. It is the shape and not the product, and cheaper than it: statements are prepared and not made
 * by an ORM, and there is no log. One thing costs more: the answer waits for the job, and Redis syncs.
 */
const queue = await openQueue();
const redis = openRedis();
const pool = await openEmails();
const resultSeconds = 86_400;
const lockSeconds = 60;

interface Key {
  id: string;
  accountId: string;
}

await serveSends(async (mail, apiKey) => {
  const key = await findKey(apiKey);
  await findTeam(key);
  // The answer does not wait for it.
  noteUse(key).catch((error: unknown) => console.error(error));
  const { idempotency_key: idempotencyKey, ...payload } = mail;
  if (idempotencyKey === undefined) throw new Refused(422, "the load of this bench has idempotency keys");
  const names = {
    result: `idem:${key.accountId}:${idempotencyKey}`,
    lock: `idemlock:${key.accountId}:${idempotencyKey}`,
  };
  const bodyHash = hash("sha256", JSON.stringify(payload));
  const original = await findOriginal(names.result, bodyHash);
  if (original !== undefined) return original;
  if ((await redis.set(names.lock, "1", "EX", lockSeconds, "NX")) !== "OK") throw new Refused(409, "in progress");
  try {
    const domain = mail.from.slice(mail.from.lastIndexOf("@") + 1).replace(">", "");
    await requireKeyMayUse(key, domain);
    await requireVerified(key, domain);
    if (await areAllSuppressed(key, mail.to)) throw new Refused(422, "the load of this bench has no suppressions");
    const stored = await storeAndQueue({ pool, queue, accountId: key.accountId }, randomUUIDv7(), mail);
    await redis.set(names.result, JSON.stringify({ bodyHash, stored }), "EX", resultSeconds);
    return stored;
  } finally {
    await redis.del(names.lock);
  }
});

async function findKey(apiKey: string): Promise<Key> {
  const { rows } = await pool.query<Key>({
    name: "find-key",
    text: `
      select k.id, k.account_id as "accountId", d.name
      from api_keys k
      left join domains d on d.account_id = k.account_id
      where k.secret_hmac = $1`,
    values: [apiKeyHmac(keyPepper, apiKey)],
  });
  const [key] = rows;
  if (key === undefined) throw new Refused(401, "the key is unknown");
  return key;
}

async function findTeam({ accountId }: Key): Promise<void> {
  const { rowCount } = await pool.query({
    name: "find-team",
    text: "select id, suspended_at from accounts where id = $1",
    values: [accountId],
  });
  if (rowCount === 0) throw new Refused(401, "the key has no team");
}

async function noteUse({ id }: Key): Promise<void> {
  await pool.query({ name: "note-use", text: "update api_keys set last_used_at = now() where id = $1", values: [id] });
}

async function findOriginal(name: string, bodyHash: string): Promise<Stored | undefined> {
  const found = await redis.get(name);
  if (found === null) return undefined;
  const original: { bodyHash: string; stored: Stored } = JSON.parse(found);
  if (original.bodyHash !== bodyHash) throw new Refused(409, "another payload");
  return { ...original.stored, isRepeat: true };
}

async function requireKeyMayUse({ id }: Key, domain: string): Promise<void> {
  const { rowCount } = await pool.query({
    name: "find-domain-of-key",
    text: `
      select k.id, d.name
      from api_keys k
      join domains d on d.account_id = k.account_id
      where k.id = $1 and d.name = $2`,
    values: [id, domain],
  });
  if (rowCount === 0) throw new Refused(403, "the key may not use the domain");
}

async function requireVerified({ accountId }: Key, domain: string): Promise<void> {
  const { rowCount } = await pool.query({
    name: "find-domain",
    text: "select true from domains where account_id = $1 and name = $2 and verified_at is not null",
    values: [accountId, domain],
  });
  if (rowCount === 0) throw new Refused(403, "the domain is not verified");
}

async function areAllSuppressed({ accountId }: Key, to: string[]): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "find-suppressed",
    text: "select email from suppressions where account_id = $1 and email = any ($2)",
    values: [accountId, to.map((address) => address.toLowerCase())],
  });
  return rowCount === to.length;
}
