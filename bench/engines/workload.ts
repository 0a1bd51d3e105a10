import { randomBytes, randomUUID, randomUUIDv7 } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** The send that every engine gets, a little over 2 KB. */
export interface Send {
  id: string;
  from: string;
  to: string;
  subject: string;
  text: string;
}

/** The number of sends in progress at a time, from claimed to marked. */
export const slots = 400;
/** The number of sends being accepted at a time. They arrive one by one, as requests do, and share round trips where an engine can. */
export const acceptConcurrency = 400;

const callMs = 20;
const textBytes = 2_000;
/** Generated before the measurement; random, so that no engine can compress it. */
const texts = Array.from({ length: 100 }, () => randomBytes(textBytes).toString("base64url").slice(0, textBytes));
let made = 0;

export function aSend(): Send {
  made += 1;
  const text = texts[made % texts.length] ?? "";
  return { id: randomUUIDv7(), from: "orders@sender.io", to: `to-${made}@example.test`, subject: "Your order", text };
}

/** Replaces the provider: it waits and returns an id in the form of SES, with the region and the time. */
export async function callProvider(): Promise<string> {
  await sleep(callMs);
  return `0107${Date.now().toString(16).padStart(12, "0")}-${randomUUID()}-000000`;
}
