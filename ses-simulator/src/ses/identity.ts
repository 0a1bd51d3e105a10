import { randomBytes } from "node:crypto";
import type { DurableMap } from "../disk/durable-maps.ts";

export type VerificationStatus = "PENDING" | "SUCCESS" | "FAILED" | "TEMPORARY_FAILURE" | "NOT_STARTED";

export interface Identity {
  name: string;
  type: "DOMAIN" | "EMAIL_ADDRESS";
  status: VerificationStatus;
  createdAt: number;
  tokens: string[];
  keyLength: "RSA_1024_BIT" | "RSA_2048_BIT";
  feedbackForwarding: boolean;
  tags: unknown[];
  configurationSetName?: string;
  lastCheckedAt?: number;
  lastSuccessAt?: number;
  errorType?: string;
  mailFrom?: MailFrom;
  /** A person or an option set the status. Scheduled DNS checks skip the identity; a DNS check of this name resets it. */
  isByHand: boolean;
}

export interface MailFrom {
  domain: string;
  status: VerificationStatus;
  onMxFailure: "USE_DEFAULT_VALUE" | "REJECT_MESSAGE";
}

export function newIdentity(name: string, now: number): Identity {
  const type = name.includes("@") ? "EMAIL_ADDRESS" : "DOMAIN";
  return {
    name: identityKey(name),
    type,
    status: "PENDING",
    createdAt: now,
    tokens: type === "DOMAIN" ? [newToken(), newToken(), newToken()] : [],
    keyLength: "RSA_2048_BIT",
    feedbackForwarding: true,
    tags: [],
    isByHand: false,
  };
}

/** Domains are case-insensitive, addresses are not. */
export function identityKey(name: string): string {
  return name.includes("@") ? name : name.toLowerCase();
}

/** A temporary failure does not stop a verified identity from sending. */
export function canSend(identity: Identity): boolean {
  return identity.status === "SUCCESS" || identity.status === "TEMPORARY_FAILURE";
}

/**
 * An identity authorises a sender if it is verified and is (1) the address itself, (2) its domain, or (3) a parent
 * domain. Returns the most specific one.
 */
export function findAuthorisingIdentity(
  identities: DurableMap<Identity>,
  spec: string,
  domain: string,
): Identity | undefined {
  const labels = domain.toLowerCase().split(".");
  const candidates = [spec, ...labels.map((_, start) => labels.slice(start).join("."))];
  for (const name of candidates) {
    const identity = identities.get(name);
    if (identity !== undefined && canSend(identity)) return identity;
  }
  return undefined;
}

export function setByHand(identity: Identity, status: VerificationStatus, now: number): Identity {
  return { ...withStatus(identity, status, now), isByHand: true };
}

export function setByDns(identity: Identity, status: VerificationStatus, now: number, errorType?: string): Identity {
  return { ...withStatus(identity, status, now), ...(errorType && { errorType }), isByHand: false };
}

function withStatus(identity: Identity, status: VerificationStatus, now: number): Identity {
  const { errorType: _, ...rest } = identity;
  return { ...rest, status, lastCheckedAt: now, ...(status === "SUCCESS" && { lastSuccessAt: now }) };
}

/** 32 lower-case letters and digits, the form of an Easy DKIM selector. */
function newToken(): string {
  return [...randomBytes(32)].map((byte) => (byte % 36).toString(36)).join("");
}
