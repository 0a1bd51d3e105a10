import { recordTypes } from "../dns/dns-message.ts";
import type { DnsRecord } from "../dns/dns-server.ts";
import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError, parseJsonObject } from "../http/control-error.ts";
import { checkIdentities } from "../ses/check-identities.ts";
import type { Simulation } from "../simulation.ts";

export function listDnsRoute({ dnsRecords }: Simulation): Reply {
  return json(200, { dns_records: listRecords(dnsRecords) });
}

/**
 * Publishes `{"dns_records":[{"type","name","value"}, …]}`, the form of Postern's answer to the registration of a domain, whose other
 * members are ignored. The records replace earlier ones of the same name. SES then looks them up at once.
 */
export async function publishDnsRoute(simulation: Simulation, call: Call): Promise<Reply> {
  const { dns_records: given } = parseJsonObject(call);
  if (simulation.dnsAddress === undefined) throw new ControlError(409, "This simulator serves no DNS: see --dns.");
  if (!Array.isArray(given) || given.length === 0 || !given.every(isRecord)) {
    const form = '{"dns_records":[{"type":"TXT","name":"…","value":"…"}]}';
    throw new ControlError(400, `The body must be ${form}; type is ${Object.keys(recordTypes).join(" or ")}.`);
  }
  const byName = Map.groupBy(given, ({ name }) => nameKey(name));
  for (const [name, records] of byName) {
    simulation.dnsRecords.set(
      name,
      records.map(({ type, value }) => ({ type, value })),
    );
  }
  await checkIdentities(simulation);
  return json(201, { dns_records: listRecords(simulation.dnsRecords) });
}

export function clearDnsRoute({ dnsRecords }: Simulation): Reply {
  for (const name of dnsRecords.keys()) dnsRecords.delete(name);
  return json(200, { dns_records: [] });
}

function nameKey(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function isRecord(given: unknown): given is DnsRecord & { name: string } {
  if (typeof given !== "object" || given === null) return false;
  const { type, name, value } = given as Record<string, unknown>; // Every member of an object is unknown.
  const isKnown = typeof type === "string" && Object.hasOwn(recordTypes, type);
  return isKnown && typeof name === "string" && name !== "" && typeof value === "string" && value !== "";
}

function listRecords(dnsRecords: Simulation["dnsRecords"]) {
  return [...dnsRecords.keys()].flatMap((name) =>
    (dnsRecords.get(name) ?? []).map(({ type, value }) => ({ type, name, value })),
  );
}
