import { isIP, isIPv4 } from "node:net";
import type { Actor } from "../actor.ts";

/** Where a log-in or a refresh comes from, as the list of sessions shows it. */
export interface Client {
  address: string;
  userAgent?: string | undefined;
  /** For the audit. */
  requestId?: string | undefined;
}

/** The user who does something at this client, for the audit. */
export function userAt(client: Client, userId: string): Actor {
  return { kind: "user", id: userId, ...originOf(client) };
}

/** Nobody has proven who is at this client. */
export function anonymousAt(client: Client): Actor {
  return { kind: "anonymous", ...originOf(client) };
}

export function originOf(client: Client): Pick<Actor, "address" | "requestId"> {
  return { address: addressOf(client) ?? undefined, requestId: client.requestId };
}

const maxDeviceLength = 200;

/** The `User-Agent` without control characters and marks that change the direction of text; null without one. */
export function deviceOf({ userAgent = "" }: Client): string | null {
  const plain = userAgent.replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ").trim();
  return plain === "" ? null : [...plain].slice(0, maxDeviceLength).join("");
}

/** Null for a text that is not an IP address: behind a proxy the address comes from a header. */
export function addressOf({ address }: Client): string | null {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  const [plain = ""] = address.split("%");
  return isIP(plain) === 0 ? null : plain;
}
