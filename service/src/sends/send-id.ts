import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(10 * 512);
let used = pool.length;

/**
 * A UUIDv7 with the time of the database. The record is partitioned by id, and a process with a wrong clock must not write into the
 * wrong partition; Node's own function uses the clock of the process.
 */
export function newSendId(databaseMs: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const time = databaseMs.toString(16).padStart(12, "0");
  const random = pool.toString("hex", used, used + 10);
  used += 10;
  const variant = ((Number.parseInt(random.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** Whether the text has the form of an id from `newSendId`, as the API prints it. */
export function isSendId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}

/** When it was accepted, in milliseconds. */
export function timeOfSendId(id: string): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}
