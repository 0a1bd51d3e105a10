import { randomFillSync } from "node:crypto";
import {
  accountIdOf,
  accountOfSend,
  type Dataset,
  domainOf,
  firstSendAt,
  hex,
  idAt,
  keyHashOf,
  keyHmacOf,
  mixed,
  recipientsOfSend,
  sendIdOf,
  suppressedAddressOf,
  suppressionsEach,
  timeOfSend,
} from "./dataset.ts";
import type { TimeRange } from "./time-ranges.ts";

/** The columns of each table and its rows as lines for COPY. Every send has its outcome. */

/** The limits are out of reach of the bench, which repeats many sends of few accounts. */
export const accountColumns = "id, name, created_at, limit_per_second, limit_per_10_seconds, limit_per_minute";

export function* accountLines({ accounts }: Dataset): Generator<string> {
  for (let account = 0; account < accounts; account++) {
    yield `${accountIdOf(account)}\tCustomer ${account}\t2020-01-01\t100000\t1000000\t6000000\n`;
  }
}

export const keyColumns = "id, account_id, name, type, key_prefix, pepper_id, secret_hmac";

export function* keyLines({ accounts }: Dataset): Generator<string> {
  for (let account = 0; account < accounts; account++) {
    const id = accountIdOf(account);
    yield `${id}\t${id}\ta key\tlive\tpostern_live_AAAAAA...\tk1\t\\\\x${keyHmacOf(account).toString("hex")}\n`;
  }
}

export const domainColumns =
  "account_id, domain_name, challenge_token, configuration_set_name, verification_status, identity_arn, dkim_tokens, " +
  "dkim_zone, registered_at, is_dkim_verified, next_check_at";

export function* domainLines({ accounts }: Dataset): Generator<string> {
  for (let account = 0; account < accounts; account++) {
    const name = domainOf(account);
    const arn = `arn:aws:ses:eu-central-1:000000000000:identity/${name}`;
    yield `${accountIdOf(account)}\t${name}\ttoken\tpostern-AA\tSuccess\t${arn}\t{a,b,c}\tdkim.amazonses.com\tnow\tt\ttomorrow\n`;
  }
}

/** The rate window of an account that last sent something long ago. */
export const windowColumns =
  "account_id, mode, times, totals, forgotten, fair_at, wanted, recipient_sums, limits, decided_at, granted, fair_before, " +
  "retry_ms, remaining";

export function* windowLines({ accounts }: Dataset): Generator<string> {
  const at = "2026-01-01 00:00:00+00";
  for (let account = 0; account < accounts; account++) {
    const window = `live\t{"${at}"}\t{7}\t6\t${at}\t1\t{1}\t{3,20,100}\t${at}\t1\t${at}\t0\t{2,19,99}`;
    yield `${accountIdOf(account)}\t${window}\n`;
  }
}

export const suppressionColumns = "id, account_id, mode, email, reason, suppressed_at";

export function* suppressionLines({ accountsWithHistory, beginMs }: Dataset): Generator<string> {
  for (let account = 0; account < accountsWithHistory; account++) {
    for (let number = 0; number < suppressionsEach; number++) {
      const id = idAt(beginMs + number * 1000, mixed(account, 9), mixed(number, 10));
      const reason = number % 10 === 9 ? "complaint" : "hard_bounce";
      yield `${id}\t${accountIdOf(account)}\tlive\t${suppressedAddressOf(account, number)}\t${reason}\t${iso(beginMs)}\n`;
    }
  }
}

export const idempotencyColumns = "key_hash, account_id, send_id, fingerprint, status, queued_at";

/** The worst case: every send has an idempotency key. */
export function* idempotencyLines(dataset: Dataset): Generator<string> {
  for (let number = 0; number < dataset.sends; number++) {
    const hash = keyHashOf(number);
    const fingerprint = hash.repeat(4);
    const [account, at] = [accountIdOf(accountOfSend(dataset, number)), iso(timeOfSend(dataset, number))];
    yield `${hash}\t${account}\t${sendIdOf(dataset, number)}\t\\\\x${fingerprint}\tqueued\t${at}\n`;
  }
}

export const sendColumns =
  "id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at, sent_at, " +
  "provider_message_id, outcomes";

export function* sendLines(dataset: Dataset, { fromMs, toMs }: TimeRange): Generator<string> {
  const end = firstSendAt(dataset, toMs);
  for (let number = firstSendAt(dataset, fromMs); number < end; number++) {
    const account = accountOfSend(dataset, number);
    const [recipients, at] = [recipientsOfSend(number), timeOfSend(dataset, number)];
    const outcomes = recipients.map((_, index) => (hasBounced(number, index) ? 3 : 2)).join(",");
    const status = hasBounced(number, 0) ? "bounced" : "delivered";
    yield `${sendIdOf(dataset, number)}\t${accountIdOf(account)}\tlive\t${status}\tShop <orders@${domainOf(account)}>\t` +
      `{${recipients.join(",")}}\t${recipients.length}\t0\tYour order ${number} is on its way\t${iso(at)}\t` +
      `${iso(at + 1000)}\t${messageIdOf(number)}\t{${outcomes}}\n`;
  }
}

export const eventColumns =
  "id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype";

export function* eventLines(dataset: Dataset, { fromMs, toMs }: TimeRange): Generator<string> {
  const end = firstSendAt(dataset, toMs);
  for (let number = firstSendAt(dataset, fromMs); number < end; number++) {
    const sent = `${sendIdOf(dataset, number)}\t${accountIdOf(accountOfSend(dataset, number))}\tlive`;
    for (const [index, recipient] of recipientsOfSend(number).entries()) {
      const at = Math.min(timeOfSend(dataset, number) + 2000 + index * 500, toMs - 1);
      const id = idAt(at, mixed(number, 15 + index), mixed(number, 18 + index));
      const what = hasBounced(number, index) ? "Bounce" : "Delivery";
      const bounce = what === "Bounce" ? "Permanent\tGeneral" : "\\N\t\\N";
      yield `${id}\t${sent}\t${what}\t${iso(at)}\t${recipient}\t${bounce}\n`;
    }
  }
}

export const contentColumns = "id, sealed";
const contentBytes = 2000;

export function* contentLines(dataset: Dataset, { fromMs, toMs }: TimeRange): Generator<string> {
  const sealed = Buffer.alloc(contentBytes);
  const end = firstSendAt(dataset, toMs);
  for (let number = firstSendAt(dataset, fromMs); number < end; number++) {
    // PostgreSQL does not compress this column, so 64 random bytes are enough.
    randomFillSync(sealed, 0, 64);
    yield `${sendIdOf(dataset, number)}\t\\\\x${sealed.toString("hex")}\n`;
  }
}

/** The first recipient of one send in forty. */
function hasBounced(number: number, recipientIndex: number): boolean {
  return recipientIndex === 0 && number % 40 === 0;
}

function messageIdOf(number: number): string {
  return `0107${hex(mixed(number, 21))}-${hex(mixed(number, 22))}-4d2e-b0c9-${hex(mixed(number, 23))}5a6b-000000`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
