import { randomBytes } from "node:crypto";
import type { Simulation } from "../simulation.ts";

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
  /** Set by a person or an option: what DNS says no longer counts, until it is asked for this identity by name. */
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

/** While a once verified identity fails temporarily it may still send. */
export function maySend(identity: Identity): boolean {
  return identity.status === "SUCCESS" || identity.status === "TEMPORARY_FAILURE";
}

/** The address itself, its domain or any parent domain authorises a sender; the nearest verified one is named. */
export function findAuthorisingIdentity(simulation: Simulation, spec: string, domain: string): Identity | undefined {
  const labels = domain.toLowerCase().split(".");
  const candidates = [spec, ...labels.map((_, start) => labels.slice(start).join("."))];
  for (const name of candidates) {
    const identity = simulation.identities.get(name);
    if (identity !== undefined && maySend(identity)) return identity;
  }
  return undefined;
}

export function setByHand(simulation: Simulation, identity: Identity, status: VerificationStatus): void {
  simulation.identities.set(identity.name, { ...withStatus(simulation, identity, status), isByHand: true });
}

export function setByDns(
  simulation: Simulation,
  identity: Identity,
  status: VerificationStatus,
  errorType?: string,
): void {
  const checked = withStatus(simulation, identity, status);
  simulation.identities.set(identity.name, { ...checked, ...(errorType && { errorType }), isByHand: false });
}

function withStatus(simulation: Simulation, identity: Identity, status: VerificationStatus): Identity {
  const now = simulation.clock.now();
  const { errorType: _, ...rest } = identity;
  return { ...rest, status, lastCheckedAt: now, ...(status === "SUCCESS" && { lastSuccessAt: now }) };
}

/** 32 lower-case letters and digits, as Easy DKIM selectors look. */
function newToken(): string {
  return [...randomBytes(32)].map((byte) => (byte % 36).toString(36)).join("");
}
