import { hash } from "node:crypto";

/** How much is stored, and in what partitions. */
export interface WorldSize {
  name: string;
  sends: number;
  /** Of sends and events: 24 months, or as many weeks as make 200 attached partitions. */
  partitions: "months" | "200 weeks";
}

/**
 * What is stored follows from its number, so that nothing has to be remembered to ask for it again. A hundred sends, 250 events and 20
 * suppressions for each account that has any: a cell grows by customers, and a page of a list is as full in a small one.
 */
export interface World extends WorldSize {
  /** Those with a history are the first of them; all may send. */
  accounts: number;
  accountsWithHistory: number;
  beginMs: number;
  endMs: number;
}

const sendsEach = 100;
export const suppressionsEach = 20;
/** In a small world too, so that no account sends so often that its own rate window is what costs. */
const fewestAccounts = 10_000;
const accountsBeginMs = Date.UTC(2020, 0, 1);

export function describeWorld(size: WorldSize, beginMs: number, endMs: number): World {
  const accountsWithHistory = Math.ceil(size.sends / sendsEach);
  return { ...size, accounts: Math.max(fewestAccounts, accountsWithHistory), accountsWithHistory, beginMs, endMs };
}

/** The number of the first send at or after a moment. */
export function firstSendAt({ sends, beginMs, endMs }: World, ms: number): number {
  return Math.min(sends, Math.max(0, Math.ceil(((ms - beginMs) * sends) / (endMs - beginMs))));
}

export function timeOfSend({ sends, beginMs, endMs }: World, number: number): number {
  return beginMs + Math.floor((number * (endMs - beginMs)) / sends);
}

export function sendIdOf(world: World, number: number): string {
  return idAt(timeOfSend(world, number), mixed(number, 1), mixed(number, 2));
}

export function accountOfSend({ accountsWithHistory }: World, number: number): number {
  return mixed(number, 3) % accountsWithHistory;
}

/** Two and a half on average, each with an event. */
export function recipientsOfSend(number: number): string[] {
  const recipients = [`jane.${hex(mixed(number, 4))}@example.com`, `joe.${hex(mixed(number, 5))}@example.org`];
  return number % 2 === 0 ? recipients : [...recipients, `jim.${hex(mixed(number, 6))}@example.net`];
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

export function suppressedAddressOf(account: number, place: number): string {
  return `gone-${String(place).padStart(2, "0")}@readers-of-${account}.com`;
}

/** A UUIDv7 of this moment. */
export function idAt(ms: number, one: number, other: number): string {
  const time = ms.toString(16).padStart(12, "0");
  const [left, right] = [hex(one), hex(other)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${left.slice(0, 3)}-8${left.slice(3, 6)}-${right}${left.slice(4)}`;
}

/** Where a partition that begins at this moment begins. */
export function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** 32 bits that look like chance and are not. */
export function mixed(number: number, salt: number): number {
  let bits = (Math.imul(number, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

export function hex(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}
