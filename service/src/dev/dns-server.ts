import type { DnsRecord, DnsServer } from "@postern/ses-simulator/dns";

interface Zone {
  /** The TXT values that prove the ownership of a domain; empty for a domain that no account has registered. */
  findProofs(domainName: string): Promise<string[]>;
  /** The records of custom MAIL FROM domains with this name. */
  findMailFromRecords(name: string): Promise<DnsRecord[]>;
  /** The zone in which the provider publishes its DKIM keys. */
  dkimZone: string;
}

/** Answers as if every registered domain had published the records that Postern and SES ask for. */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  // Only `postern dev` needs the simulator; a production install leaves it out.
  const simulator = await import("@postern/ses-simulator/dns");
  return simulator.startDnsServer({ recordsOf: (name) => recordsOf(zone, name) });
}

async function recordsOf({ findProofs, findMailFromRecords, dkimZone }: Zone, name: string): Promise<DnsRecord[]> {
  const [, token] = /^([a-z0-9]+)\._domainkey\./.exec(name) ?? [];
  if (token !== undefined) return [{ type: "CNAME", value: `${token}.${dkimZone}` }];
  const [, domainName] = /^_postern-challenge\.(.+)$/.exec(name) ?? [];
  if (domainName === undefined) return findMailFromRecords(name);
  const proofs = await findProofs(domainName);
  return proofs.map((value) => ({ type: "TXT", value }));
}
