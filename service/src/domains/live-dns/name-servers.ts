import type { AskServer } from "./ask-servers.ts";
import type { DnsQuestion, DnsServerAddress } from "./exchange-message.ts";
import type { ReachServer } from "./reachable-server.ts";
import { codeOf, readAnswer, zoneIn } from "./read-answer.ts";

export interface Zone {
  name: string;
  /** As the resolver lists them, at most `maxNameServers`. */
  nameServers: string[];
  /** The first name server that answers for the zone. Undefined when none does, or Postern may ask none of them. */
  server: { name: string; address: DnsServerAddress } | undefined;
  /** Every address of the name servers is internal (reachable-server.ts). */
  isInternal: boolean;
}

interface ZoneDeps {
  askResolver: (question: DnsQuestion) => ReturnType<AskServer>;
  askServer: AskServer;
  reach: ReachServer;
}

const maxNameServers = 4;
const maxAddresses = 4;
/** The zone is found at the name itself, unless the name is an alias. */
const maxParents = 3;

/** Finds the zone that has the records of the domain, and a name server of it. Undefined when DNS does not answer. */
export async function findZone(deps: ZoneDeps, domainName: string): Promise<Zone | undefined> {
  const name = await findZoneName(deps, domainName);
  if (name === undefined) return undefined;
  const nameServers = (await valuesOf(deps, { name, type: "NS" })).toSorted().slice(0, maxNameServers);
  const addresses = await Promise.all(nameServers.map((server) => addressesOf(deps, server)));
  const candidates = nameServers.flatMap((server, index) =>
    (addresses[index] ?? []).map((address) => ({ name: server, address: deps.reach(address) })),
  );
  const allowed = candidates.flatMap(({ address, ...rest }) => (address === undefined ? [] : [{ ...rest, address }]));
  const server = await firstThatServes(deps.askServer, name, allowed.slice(0, maxAddresses));
  return { name, nameServers, server, isInternal: candidates.length > 0 && allowed.length === 0 };
}

async function findZoneName({ askResolver }: ZoneDeps, domainName: string): Promise<string | undefined> {
  const labels = domainName.split(".");
  for (let skipped = 0; skipped <= Math.min(maxParents, labels.length - 2); skipped++) {
    const name = labels.slice(skipped).join(".");
    const zone = zoneIn(await askResolver({ name, type: "SOA" }), name);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** The addresses of the second family are asked for only when there is none of the first. */
async function addressesOf(deps: ZoneDeps, name: string): Promise<string[]> {
  const found = await valuesOf(deps, { name, type: "A" });
  return found.length > 0 ? found : valuesOf(deps, { name, type: "AAAA" });
}

async function valuesOf({ askResolver }: ZoneDeps, question: DnsQuestion): Promise<string[]> {
  const view = readAnswer(await askResolver(question), question, true);
  return view.kind === "records" ? view.values : [];
}

/** All at once, so that a name server without an answer delays nothing. */
async function firstThatServes(askServer: AskServer, zone: string, servers: NonNullable<Zone["server"]>[]) {
  const tries = servers.map(async (server) => {
    const packet = await askServer(server.address, { name: zone, type: "SOA" }, false);
    if (packet?.flag_aa && codeOf(packet) === 0) return server;
    throw new Error("does not serve the zone");
  });
  return Promise.any(tries).catch(() => undefined);
}
