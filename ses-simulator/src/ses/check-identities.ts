import { promises as dns } from "node:dns";
import type { Simulation } from "../simulation.ts";
import { type Identity, setByDns } from "./identity.ts";

/** SES checks the records for up to 72 hours. */
const giveUpAfterMs = 72 * 60 * 60 * 1000;
const checkEverySeconds = 30;

type Lookup = "found" | "INVALID_VALUE" | "TYPE_NOT_FOUND" | "HOST_NOT_FOUND" | "DNS_SERVER_ERROR";

/** Repeats until the simulator stops. Without a DNS server, identities are verified by hand. */
export function scheduleIdentityChecks(simulation: Simulation): void {
  if (simulation.dnsAddress === undefined) return;
  simulation.clock.runWhenDue(simulation.clock.dueIn(checkEverySeconds), () => {
    void checkIdentities(simulation).finally(() => scheduleIdentityChecks(simulation));
  });
}

export async function checkIdentities(simulation: Simulation): Promise<void> {
  for (const { name, isByHand } of simulation.identities.values()) if (!isByHand) await checkIdentity(simulation, name);
}

/** All three DKIM records must exist. If they disappear, the identity has a temporary failure until SES gives up. */
export async function checkIdentity(simulation: Simulation, name: string): Promise<void> {
  const resolver = resolverFor(simulation);
  const identity = simulation.identities.get(name);
  if (resolver === undefined || identity === undefined || identity.type !== "DOMAIN") return;
  const lookups = await Promise.all(identity.tokens.map((token) => lookUpDkim(resolver, identity, token, simulation)));
  const mailFromFound =
    identity.mailFrom && (await lookUpMx(resolver, identity.mailFrom.domain, simulation.settings.region));
  // During the lookups, another request may have deleted the identity or set it by hand.
  const current = simulation.identities.get(name);
  if (current === undefined) return;
  const failure = lookups.find((lookup) => lookup !== "found");
  const status = nextStatus(simulation, current, failure);
  const checked = setByDns(withMailFrom(current, mailFromFound), status, simulation.clock.now(), failure);
  simulation.identities.set(name, checked);
}

function nextStatus(simulation: Simulation, identity: Identity, failure: Lookup | undefined): Identity["status"] {
  if (failure === undefined) return "SUCCESS";
  const since = identity.lastSuccessAt ?? identity.createdAt;
  if (simulation.clock.now() - since > giveUpAfterMs / simulation.clock.speed) return "FAILED";
  if (identity.status === "FAILED") return "FAILED";
  return identity.lastSuccessAt === undefined ? "PENDING" : "TEMPORARY_FAILURE";
}

function withMailFrom(identity: Identity, found: boolean | undefined): Identity {
  if (identity.mailFrom === undefined || found === undefined) return identity;
  return { ...identity, mailFrom: { ...identity.mailFrom, status: found ? "SUCCESS" : "PENDING" } };
}

function resolverFor(simulation: Simulation): dns.Resolver | undefined {
  if (simulation.dnsAddress === undefined) return undefined;
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([simulation.dnsAddress]);
  return resolver;
}

async function lookUpDkim(
  resolver: dns.Resolver,
  identity: Identity,
  token: string,
  simulation: Simulation,
): Promise<Lookup> {
  try {
    const targets = await resolver.resolveCname(`${token}._domainkey.${identity.name}`);
    const expected = `${token}.${simulation.settings.signingHostedZone}`;
    return targets.some((target) => target.toLowerCase() === expected) ? "found" : "INVALID_VALUE";
  } catch (error) {
    return errorType(error);
  }
}

async function lookUpMx(resolver: dns.Resolver, domain: string, region: string): Promise<boolean> {
  const records = await resolver.resolveMx(domain).catch(() => []);
  return records.length === 1 && records[0]?.exchange === `feedback-smtp.${region}.amazonses.com`;
}

function errorType(error: unknown): Lookup {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTFOUND") return "HOST_NOT_FOUND";
  return code === "ENODATA" ? "TYPE_NOT_FOUND" : "DNS_SERVER_ERROR";
}
