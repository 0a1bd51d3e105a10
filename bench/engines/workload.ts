import { randomBytes, randomUUID, randomUUIDv7 } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** One mail as every engine gets it, a little over 2 KB. */
export interface Send {
  id: string;
  from: string;
  to: string;
  subject: string;
  text: string;
}

/** So many sends are on their way at a time, from claimed to marked. */
export const slots = 400;
/** So many are being accepted at a time: they come one by one, as requests do, and share round trips where an engine can. */
export const acceptedAtOnce = 400;

const callMs = 20;
const textBytes = 2_000;
/** Made before anything is measured; random, so that no engine can store it smaller than another. */
const texts = Array.from({ length: 100 }, () => randomBytes(textBytes).toString("base64url").slice(0, textBytes));
let made = 0;

export function aSend(): Send {
  made += 1;
  const text = texts[made % texts.length] ?? "";
  return { id: randomUUIDv7(), from: "orders@sender.io", to: `to-${made}@example.test`, subject: "Your order", text };
}

/** Stands for the provider: it takes its time and answers with an id. */
export async function callProvider(): Promise<string> {
  await sleep(callMs);
  return randomUUID();
}
