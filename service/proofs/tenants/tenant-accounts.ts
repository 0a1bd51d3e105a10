import { randomBytes, randomUUIDv7 } from "node:crypto";
import { setLimits } from "../../src/accounts/limit-store.ts";
import type { ApiDeps } from "../../src/api/http/api-server.ts";
import { keyScopes } from "../../src/api-keys/scopes.ts";
import type { Database } from "../../src/db/database.ts";
import { insertInvitation } from "../../src/invitations/invitation-store.ts";
import type { Mode } from "../../src/mode.ts";
import { aLogin, anAccount, anApiKey, aUser } from "../../test/builders.ts";
import { anEvent } from "../../test/event-builders.ts";
import { anAttachment, aQueuedSend, aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";
import { aDelivery, aListener, aReplay, aWebhook } from "../../test/webhook-builders.ts";

export interface Tenant {
  accountId: string;
  /** Part of every text of this account and of no other account. */
  tag: string;
  credentials: { jwt: string; liveKey: string; testKey: string };
  domain: string;
  domainIds: number[];
  keyIds: string[];
  /** Of a key that no probe uses, so that its secret may be replaced. */
  spareKeyId: string;
  /** The address has nothing of the tag: another account may invite the person. */
  member: { id: string; email: string };
  invitationId: string;
  sessionId: string;
  sends: { id: string; mode: Mode }[];
  eventIds: string[];
  suppressed: string;
  webhooks: { id: string; deliveryId: string; sendId: string; replayId: string; listenerId: string; mode: Mode }[];
  /** The tag and ids that no other account may see. */
  marks: string[];
}

/** On the suppression list of every account. */
export const commonSuppressed = "everybody@example.test";
/** Every account has an invitation for this address. */
const commonInvited = "guest@example.test";
/** Every account uses this key for one of its mails. */
export const commonIdempotencyKey = "order-1";

/** An account with at least one entry in every list, in both modes. */
export async function aTenant(db: Database, deps: ApiDeps, number: number): Promise<Tenant> {
  const tag = `t${number}x${randomBytes(6).toString("hex")}`;
  const accountId = await anAccount(db, { name: tag });
  const limit = 10_000 + number;
  await setLimits(db, accountId, { perSecond: limit, per10Seconds: limit, perMinute: limit });
  await db.query({
    name: "many-domain-changes",
    text: "update accounts set domain_changes_per_minute = 1000 where id = $1",
    values: [accountId],
  });
  const { accessToken, loginId } = await aLogin(db, deps.loginDeps, { accountId });
  const aKey = (type: Mode) => anApiKey(db, deps.apiKeyIssuer, accountId, { name: tag, type, scopes: [...keyScopes] });
  const [liveKey, testKey, spareKey] = [await aKey("live"), await aKey("test"), await aKey("live")];
  const member = await aUser(db, { accountId, role: "viewer" });
  const invitationId = await anInvitation(db, accountId, commonInvited);
  const domain = await aVerifiedDomain(db, accountId, `${tag}.test`);
  await aVerifiedDomain(db, accountId, `second-${tag}.test`);
  const domains = await db.query<{ id: number }>({
    name: "domains-of",
    text: "select id from domains where account_id = $1",
    values: [accountId],
  });
  const [sends, eventIds, suppressed] = [[] as Tenant["sends"], [] as string[], `bounced@${tag}.test`];
  for (const mode of ["live", "test"] as const) {
    const attachments = [anAttachment(Buffer.from(tag))];
    const id = await aQueuedSend(db, { accountId, mode, fromDomain: domain, to: [`to@${tag}.test`], attachments });
    await anAttempt(db, id, tag);
    await useIdAsKey(db, id);
    sends.push({ id, mode });
    eventIds.push(await anEvent(db, { accountId, mode, sendId: id, recipient: `to@${tag}.test` }));
    for (const email of [suppressed, commonSuppressed]) await aSuppression(db, { accountId, mode, email });
  }
  const webhooks: Tenant["webhooks"] = [];
  for (const { id, mode } of sends) webhooks.push(await aTenantWebhook(db, { accountId, tag, mode, sendId: id }));
  await someUsage(db, { accountId, domain, keyIds: [liveKey.id, testKey.id] });
  await someRequests(db, { accountId, tag, keyIds: [liveKey.id, testKey.id] });
  const keyIds = [liveKey.id, testKey.id, spareKey.id];
  return {
    accountId,
    tag,
    credentials: { jwt: accessToken, liveKey: liveKey.key, testKey: testKey.key },
    domain,
    domainIds: domains.map(({ id }) => id),
    keyIds,
    spareKeyId: spareKey.id,
    member,
    invitationId,
    sessionId: loginId,
    sends,
    eventIds,
    suppressed,
    webhooks,
    marks: [
      tag,
      accountId,
      ...keyIds,
      member.id,
      invitationId,
      loginId,
      ...sends.map(({ id }) => id),
      ...eventIds,
      ...webhooks.flatMap(({ id, deliveryId, replayId, listenerId }) => [id, deliveryId, replayId, listenerId]),
    ],
  };
}

export async function aTenantWebhook(
  db: Database,
  { accountId, tag, mode, sendId }: { accountId: string; tag: string; mode: Mode; sendId: string },
) {
  const id = await aWebhook(db, { accountId, mode, url: `https://${tag}.example.com/hooks` });
  const deliveryId = await aDelivery(db, { accountId, endpointId: id, state: "failed", envelope: tag, sendId });
  const replayId = await aReplay(db, { accountId, endpointId: id });
  // The proof at full size takes longer than a listener lasts.
  const { id: listenerId } = await aListener(db, { accountId, mode, seconds: 86_400 });
  await aDelivery(db, { accountId, endpointId: listenerId, state: "pending", envelope: tag });
  return { id, deliveryId, sendId, replayId, listenerId, mode };
}

export async function anInvitation(db: Database, accountId: string, email: string): Promise<string> {
  const id = randomUUIDv7();
  const invitation = { id, email, role: "viewer", tokenHash: randomBytes(32), invitedBy: undefined } as const;
  await insertInvitation(db.forAccount(accountId), invitation);
  return id;
}

async function someRequests(db: Database, { accountId, tag, keyIds }: Pick<Tenant, "accountId" | "tag" | "keyIds">) {
  await db.query({
    name: "some-requests",
    text: `
      insert into logged_requests (id, account_id, mode, method, route, status, error_code, api_key_id, request_id)
      select new_id_at(now()), $1, case position when 2 then 'test' else 'live' end, 'GET', '/api/v1/sends', 401, 'UNAUTHORIZED', key_id,
        $2 || '.request'
      from unnest($3::uuid[]) with ordinality as keys (key_id, position)`,
    values: [accountId, tag, keyIds],
  });
}

async function anAttempt(db: Database, sendId: string, tag: string): Promise<void> {
  await db.query({
    name: "an-attempt",
    text: `
      insert into send_attempts (send_id, attempt, started_at, outcome, request_id)
      values ($1, 1, now(), 'try-later', $2)`,
    values: [sendId, tag],
  });
}

/** As the accept statement stores a send without an idempotency key of its own. */
async function useIdAsKey(db: Database, sendId: string): Promise<void> {
  await db.query({
    name: "use-id-as-key",
    text: "update sends set payload_hash = '\\x00' where id = $1",
    values: [sendId],
  });
}

/** Folded and not, with refusals. */
async function someUsage(db: Database, { accountId, domain, keyIds }: Pick<Tenant, "accountId" | "domain" | "keyIds">) {
  await db.query({
    name: "some-usage",
    text: `
      with given as (
        select $1::uuid as account_id, date_trunc('hour', now()) as hour, key_id, position = 2 as is_test
        from unnest($3::uuid[]) with ordinality as keys (key_id, position)
      ), hours as (
        insert into usage_hours (account_id, mode, hour, domain, accepted_sends)
        select account_id, case when is_test then 'test' else 'live' end, hour, $2, 1 from given
      ), key_hours as (
        insert into usage_key_hours (account_id, api_key_id, hour, sends) select account_id, key_id, hour, 1 from given
      ), refusals as (
        insert into usage_refusals (account_id, api_key_id, hour, code, count)
        select account_id, key_id, hour, 'VALIDATION_ERROR', 1 from given
      ), tags as (
        insert into usage_tags (account_id, mode, month, tag)
        select account_id, case when is_test then 'test' else 'live' end, date_trunc('month', hour, 'UTC'), $2 from given
      ), tag_days as (
        insert into usage_tag_days (account_id, mode, day, tag, accepted_sends)
        select account_id, case when is_test then 'test' else 'live' end, hour at time zone 'UTC', $2, 1 from given
      )
      insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends, api_key_id, tags)
      select account_id, hour_number(hour), 1, 0, is_test, $2, 1, key_id, array[$2, 'not-folded.' || $2] from given`,
    values: [accountId, domain, keyIds],
  });
}
