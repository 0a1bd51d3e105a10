import { randomBytes, randomUUIDv7 } from "node:crypto";
import { createAcceptAdmission, createAcceptBatch } from "../src/accept/accept-batch.ts";
import { noQuotas } from "../src/accept/quotas.ts";
import { areSecretsUsable, findKeyByHmacs } from "../src/api-keys/secret-store.ts";
import type { Database } from "../src/db/database.ts";
import { openDatabaseClock } from "../src/db/database-clock.ts";
import { recordReports } from "../src/feedback/record-reports.ts";
import { checkAccounts } from "../src/guard/check-accounts.ts";
import { findOpenLogins } from "../src/logins/login-store.ts";
import { type ClaimedSend, claimSends } from "../src/queue/claim-sends.ts";
import { findDueMoves } from "../src/queue/due-moves.ts";
import { foldQueuedRecipients, readQueuedRecipients } from "../src/queue/queued-recipients.ts";
import { markSent, retryLater } from "../src/queue/settle-sends.ts";
import { newSendId } from "../src/sends/send-id.ts";
import { foldUsageDeltas } from "../src/usage/fold-usage.ts";
import { findDueWork } from "../src/webhooks/due-work.ts";
import { anAccount, aUser } from "./builders.ts";
import { aVerifiedDomain } from "./send-builders.ts";

export interface HotStatement {
  name: string;
  run(): Promise<unknown>;
}

export const hotDomain = "hot.test";

export interface HotFixture {
  accountId: string;
  userId: string;
  apiKeyId: string;
  loginId: string;
  /** In this order: each statement works on what the ones before it left. */
  statements: HotStatement[];
}

/** Every statement of a send's life and of its authentication, each for one send of one account. */
export async function makeHotStatements(db: Database): Promise<HotFixture> {
  const { accountId, id: userId } = await aUser(db, { accountId: await anAccount(db) });
  await aVerifiedDomain(db, accountId, hotDomain);
  const [apiKeyId, loginId, hmac] = [randomUUIDv7(), randomUUIDv7(), randomBytes(32)];
  await db.query({
    name: "prepare-hot-account",
    text: `
      with limits as (
        update accounts
        set limit_per_second = 100000, limit_per_10_seconds = 1000000, limit_per_minute = 6000000
        where id = $1
      ), login as (
        insert into logins (id, user_id, expires_at) values ($4, $5, now() + interval '1 day')
      )
      insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac)
      values ($1, $2, 'hot', 'live', 'prefix', 'pepper', $3)`,
    values: [accountId, apiKeyId, hmac, loginId, userId],
  });
  const clock = await openDatabaseClock(db);
  // The sends are counted in the queue, as those of an account with a quota for it.
  const decide = createAcceptBatch(db, clock, createAcceptAdmission(), { ...noQuotas, isQueueCounted: () => true });
  let [acceptedId, claimed]: [string, ClaimedSend | undefined] = [newSendId(clock.now()), undefined];

  const byKey = { apiKeyId, secretId: apiKeyId, loginId: undefined };
  const byLogin = { apiKeyId: undefined, secretId: undefined, loginId };
  const accept = async (
    generatedKey: string | undefined,
    idempotencyHash: Buffer | undefined,
    credential: typeof byKey | typeof byLogin = byKey,
  ) => {
    const id = newSendId(clock.now());
    const recipient = `${randomBytes(6).toString("hex")}@example.test`;
    const decision = await decide({
      accountId,
      mode: "live",
      ...credential,
      send: {
        id,
        idempotencyKey: undefined,
        idempotencyHash,
        fingerprint: Buffer.alloc(8),
        payloadHash: Buffer.alloc(8),
        generatedKey,
        fromDomain: hotDomain,
        fromAddress: `a@${hotDomain}`,
        recipients: [recipient],
        toAddresses: [recipient],
        toCount: 1,
        ccCount: 0,
        replyTo: undefined,
        subject: "Hello",
        sealed: Buffer.alloc(500),
      },
    });
    if (decision.kind === "stored") acceptedId = id;
    else if (decision.kind !== "repeat") throw new Error(`the send was not accepted: ${decision.kind}`);
  };
  const claim = async () => {
    const options = { mode: "live", maxSends: 1, maxRecipients: 1, fromFairAt: "-infinity", isProbe: false } as const;
    [claimed] = (await claimSends(db, options)).sends;
    if (claimed === undefined) throw new Error("no send was claimed");
  };
  const attempt = () => {
    if (claimed === undefined) throw new Error("no send was claimed");
    return { sendId: claimed.id, attempt: claimed.attempt, startedAt: claimed.attemptedAt };
  };
  const statements = [
    { name: "accept", run: () => accept(undefined, randomBytes(16)) },
    { name: "accept a repeat", run: () => accept(acceptedId, randomBytes(16)) },
    { name: "claim", run: claim },
    {
      name: "retry later",
      run: () => retryLater(db, [{ ...attempt(), outcome: "try-later", delaySeconds: 3600, usesRetryWindow: false }]),
    },
    { name: "accept another", run: () => accept(undefined, undefined, byLogin) },
    { name: "claim another", run: claim },
    { name: "settle", run: () => markSent(db, [{ ...attempt(), outcome: "accepted", providerMessageId: "m" }]) },
    {
      name: "record a bounce",
      run: () =>
        recordReports(db, [
          {
            eventId: randomUUIDv7(),
            sendId: attempt().sendId,
            type: "Bounce",
            at: new Date().toISOString(),
            recipient: claimed?.recipients[0] ?? "",
            rank: 3,
            bounceType: "Permanent",
            bounceSubtype: undefined,
            complaintType: undefined,
            suppressAs: "hard_bounce",
          },
        ]),
    },
    { name: "find due moves", run: () => findDueMoves(db, "live") },
    { name: "find due webhook work", run: () => findDueWork(db) },
    { name: "fold usage", run: () => foldUsageDeltas(db, 5) },
    { name: "check accounts", run: () => checkAccounts(db, { maxCounts: 5 }) },
    { name: "find a key", run: () => findKeyByHmacs(db, [hmac]) },
    { name: "check a key", run: () => areSecretsUsable(db, [apiKeyId]) },
    // A little more than one round adds.
    { name: "fold the queued recipients", run: () => foldQueuedRecipients(db, 5) },
    { name: "read the queued recipients", run: () => readQueuedRecipients(db, [{ accountId, mode: "live" }]) },
    ...[false, true].map((needsOperator) => ({
      name: `find a login${needsOperator ? " of an operator" : ""}`,
      run: () => findOpenLogins(db, [{ loginId, notBefore: 0, expiresAt: 9_999_999_999, needsOperator }]),
    })),
  ];
  return { accountId, userId, apiKeyId, loginId, statements };
}
