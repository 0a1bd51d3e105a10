import { maxSendBytes } from "./read-send-body.ts";
import type { SendLimits } from "./send-request-wire.ts";

const mebibyte = 1024 * 1024;

/**
 * The bytes of large sends in progress in this process (http/large-bodies.ts). An account may always have one request of the largest size, and
 * beside all that one account may have, another account has room for one. With up to 18 MiB of attachments in a mail this is 32 and 64 MiB.
 */
export function largeSendBytes(limits: SendLimits): { perOwner: number; total: number; largest: number } {
  const largest = maxSendBytes(limits);
  const perOwner = Math.max(32 * mebibyte, largest);
  return { perOwner, total: Math.max(64 * mebibyte, perOwner + largest), largest };
}
