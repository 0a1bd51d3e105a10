import { hash } from "node:crypto";

/** The number of stored sends, and their partitions. */
export interface DatasetSize {
  name: string;
  sends: number;
  /** Partitions of sends and events: 24 months, or as many weeks as make 200 attached partitions. */
  partitions: "months" | "200 weeks";
}

/**
 * Each row follows from its number, so that the bench can query it without remembering it. Each account with a history has
 * 100 sends, 250 events and 20 suppressions: a cell grows by customers, and the lists of an account have the same length in
 * every dataset.
 */
export interface Dataset extends DatasetSize {
  /** All accounts may send; the first `accountsWithHistory` have stored sends. */
  accounts: number;
  accountsWithHistory: number;
  beginMs: number;
  endMs: number;
}

const sendsEach = 100;
export const suppressionsEach = 20;
/** The minimum of a small dataset, so that no account sends so often that its rate window dominates the cost. */
const minAccounts = 10_000;
const accountsBeginMs = Date.UTC(2020, 0, 1);

export function describeDataset(size: DatasetSize, beginMs: number, endMs: number): Dataset {
  const accountsWithHistory = Math.ceil(size.sends / sendsEach);
  return { ...size, accounts: Math.max(minAccounts, accountsWithHistory), accountsWithHistory, beginMs, endMs };
}

/** The number of the first send at or after a time. */
export function firstSendAt({ sends, beginMs, endMs }: Dataset, ms: number): number {
  return Math.min(sends, Math.max(0, Math.ceil(((ms - beginMs) * sends) / (endMs - beginMs))));
}

export function timeOfSend({ sends, beginMs, endMs }: Dataset, number: number): number {
  return beginMs + Math.floor((number * (endMs - beginMs)) / sends);
}

export function sendIdOf(dataset: Dataset, number: number): string {
  return idAt(timeOfSend(dataset, number), mixed(number, 1), mixed(number, 2));
}

export function accountOfSend({ accountsWithHistory }: Dataset, number: number): number {
  return mixed(number, 3) % accountsWithHistory;
}

/** 2.5 recipients on average, each with an event. */
export function recipientsOfSend(number: number): string[] {
  const recipients = [`jane.${hex(mixed(number, 4))}@example.com`, `joe.${hex(mixed(number, 5))}@example.org`];
  return number % 2 === 0 ? recipients : [...recipients, `jim.${hex(mixed(number, 6))}@example.net`];
}

/** The hash of its idempotency key, as hexadecimal digits. */
export function keyHashOf(number: number): string {
  return [11, 12, 13, 14].map((salt) => hex(mixed(number, salt))).join("");
}

export function accountIdOf(account: number): string {
  return idAt(accountsBeginMs + account * 60_000, mixed(account, 7), mixed(account, 8));
}

export function keyHmacOf(account: number): Buffer {
  return hash("sha256", `key of ${account}`, "buffer");
}

export function domainOf(account: number): string {
  return `customer-${account}.io`;
}

export function suppressedAddressOf(account: number, number: number): string {
  return `gone-${String(number).padStart(2, "0")}@customers-of-${account}.com`;
}

/** A UUIDv7 of this time. */
export function idAt(ms: number, one: number, other: number): string {
  const time = ms.toString(16).padStart(12, "0");
  const [left, right] = [hex(one), hex(other)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${left.slice(0, 3)}-8${left.slice(3, 6)}-${right}${left.slice(4)}`;
}

/** The lower bound of a partition that begins at this time. */
export function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** 32 pseudo-random bits: the same for the same number and salt. */
export function mixed(number: number, salt: number): number {
  let bits = (Math.imul(number, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

export function hex(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}
