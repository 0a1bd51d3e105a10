import { randomBytes } from "node:crypto";
import { type Candidate, type CandidateSend, createAcceptBatch } from "../../service/src/accept/accept-batch.ts";
import type { Database } from "../../service/src/db/database.ts";
import { type DatabaseClock, openDatabaseClock } from "../../service/src/db/database-clock.ts";
import { sealContent } from "../../service/src/sends/content.ts";
import { newSendId } from "../../service/src/sends/send-id.ts";
import { testContentKeys } from "../../service/test/send-builders.ts";
import { accountIdOf, accountOfSend, type Dataset, domainOf, keyHashOf, suppressedAddressOf } from "./dataset.ts";

const bodyBytes = 1500;
const subject = "Your order is on its way";
/** One send in this many has a suppressed recipient. */
const oneSuppressedIn = 50;

/** Accepts sends as the API does: one round trip per call, each send for another account, rotating over all accounts. */
export async function openAcceptance(db: Database, dataset: Dataset) {
  const clock = await openDatabaseClock(db);
  const decide = createAcceptBatch(db, clock);
  // A step that has no common divisor with the number of accounts visits all of them before it repeats one.
  const step = 7_919;
  let next = Math.floor(Math.random() * dataset.accounts);
  return async (count: number): Promise<void> => {
    const candidates = Array.from({ length: count }, () => {
      next = (next + step) % dataset.accounts;
      return aCandidate(clock, dataset, next);
    });
    const decisions = await Promise.all(candidates.map(decide));
    const refused = decisions.find(({ kind }) => kind !== "stored");
    if (refused !== undefined) throw new Error(`a send was answered with ${refused.kind}`);
  };
}

/** Accepts the stored send of a number again, with its idempotency key. */
export async function openRepeats(db: Database, dataset: Dataset) {
  const clock = await openDatabaseClock(db);
  const decide = createAcceptBatch(db, clock);
  return async (number: number): Promise<void> => {
    const candidate = aCandidate(clock, dataset, accountOfSend(dataset, number));
    const idempotencyHash = Buffer.from(keyHashOf(number), "hex");
    const { kind } = await decide({ ...candidate, send: { ...candidate.send, idempotencyHash } });
    if (kind !== "repeat") throw new Error(`a repeat was answered with ${kind}`);
  };
}

function aCandidate(
  clock: DatabaseClock,
  { accountsWithHistory }: Dataset,
  account: number,
): Candidate & { send: CandidateSend } {
  const id = newSendId(clock.now());
  const accountId = accountIdOf(account);
  const hasSuppressed = account < accountsWithHistory && Math.random() < 1 / oneSuppressedIn;
  const second = hasSuppressed ? suppressedAddressOf(account, account % 20) : `joe.${id.slice(-12)}@example.org`;
  const to = [`jane.${id.slice(-12)}@example.com`, second];
  const fromDomain = domainOf(account);
  const content = {
    from: { name: "Shop", address: `orders@${fromDomain}` },
    to,
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject,
    html: undefined,
    text: randomBytes(bodyBytes).toString("base64url"),
  };
  return {
    accountId,
    mode: "live",
    apiKeyId: accountId, // the dataset gives each account one key with the same id
    secretId: accountId, // the first secret of a key has its id
    send: {
      id,
      idempotencyKey: undefined,
      idempotencyHash: randomBytes(16),
      fingerprint: randomBytes(64),
      payloadHash: randomBytes(8),
      generatedKey: undefined,
      fromDomain,
      fromAddress: `Shop <orders@${fromDomain}>`,
      recipients: to,
      toAddresses: to,
      toCount: to.length,
      ccCount: 0,
      replyTo: undefined,
      subject,
      sealed: sealContent(testContentKeys.current, { accountId, sendId: id }, content),
    },
  };
}
