/**
 * An account whose sends have numbers, newest first from 0. The number decides everything about a send and its events, so that SQL can
 * store millions of them without reading any, and the proof knows what to look for.
 */
export interface NumberedAccount {
  count: number;
  newestMs: number;
  accountId: string;
  domains: string[];
  /** Live keys; test mail has none. */
  keyIds: string[];
}

export const days = 90;
const spanMs = days * 86_400_000;
/** Each send has 1 to 4 recipients, and each recipient one event: 2.5 events for a send. */
const maxRecipients = 4;

/** The same address gets about ten mails. */
function peopleOf({ count }: NumberedAccount): number {
  return Math.max(1, Math.floor(count / 4));
}

export interface NumberedSend {
  id: string;
  recipient: string;
  providerMessageId: string;
}

export function sendOf(number: number, account: NumberedAccount): NumberedSend {
  // The product exceeds the integers that a number holds exactly.
  const ms = account.newestMs - Number((BigInt(number) * BigInt(spanMs)) / BigInt(account.count));
  const hex = `${hexOf(ms, 12)}70008${hexOf(number, 15)}`;
  return {
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    recipient: `reader-${(number * 7919) % peopleOf(account)}@example.test`,
    providerMessageId: `0102${hexOf(ms + 300, 12)}-${String(number).padStart(36, "0")}-000000`,
  };
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** Of a mail that bounced for its first recipient; every 25th does. */
export function aBouncedNumber(number: number): number {
  const bounced = number - (number % 25);
  // Test mail ends with 7, so a multiple of 25 is live.
  return bounced;
}

const address = (position: number) =>
  `'reader-' || (number * 7919 + ${position} * 104729) % $5::bigint || '@example.test'`;
const id = (ms: string, middle: string, variant: string) =>
  `(lpad(to_hex(${ms}), 12, '0') || '7' || ${middle} || '${variant}' || lpad(to_hex(number), 15, '0'))::uuid`;

/**
 * SQL: the sends with the numbers from $1 to before $2, oldest first. $3: the milliseconds of the newest one, $4: how many there are, $5: how
 * many people, $6: the account, $7: its domains, $8: its keys.
 */
export const numberedSends = `
  select number, ms, at, ${id("ms", "'000'", "8")} as id, $6::uuid as account_id,
    case when number % 10 = 7 then 'test' else 'live' end as mode,
    case when number % 25 = 0 then 'bounced' when number % 500 = 10 then 'complained' else 'delivered' end as status,
    ($7::text[])[number % cardinality($7::text[]) + 1] as domain,
    case when number % 10 = 7 then null else ($8::uuid[])[number % cardinality($8::uuid[]) + 1] end as key_id,
    number % ${maxRecipients} + 1 as recipients,
    (array[${Array.from({ length: maxRecipients }, (_, position) => address(position)).join(", ")}])[1:(number % ${maxRecipients} + 1)::integer]
      as addresses,
    '0102' || lpad(to_hex(ms + 300), 12, '0') || '-' || lpad(number::text, 36, '0') || '-000000' as provider_message_id,
    case when number % 25 = 0 then 1 else 0 end as hard_bounces,
    case when number % 25 = 0 and number % ${maxRecipients} > 0 then 1 else 0 end as soft_bounces,
    case when number % 500 = 10 then 1 else 0 end as complaints,
    (400 * 2 ^ (number % 5))::integer as duration_ms
  from generate_series($2::bigint - 1, $1::bigint, -1) as number
  cross join lateral (select $3::bigint - number * ${spanMs}::bigint / $4::bigint as ms) as accepted
  cross join lateral (select timestamptz 'epoch' + ms * interval '1 ms' as at) as moment`;

/** SQL: an event for each recipient of those sends. The first recipient has position 0. */
export const numberedEvents = `
  select ${id("ms + duration_ms", "lpad(to_hex(position), 3, '0')", "9")} as event_id, send.*, position,
    addresses[position + 1] as recipient, at + duration_ms * interval '1 ms' as event_at,
    case when hard_bounces > 0 and position < 2 then 'Bounce' when complaints > 0 and position = 0 then 'Complaint' else 'Delivery' end as event_type
  from (${numberedSends}) as send
  cross join lateral generate_series(0, recipients::integer - 1) as position`;

export function valuesOf(account: NumberedAccount, from: number, to: number): unknown[] {
  const { newestMs, count, accountId, domains, keyIds } = account;
  return [from, to, newestMs, count, peopleOf(account), accountId, domains, keyIds];
}
