import { Resolver } from "node:dns/promises";

/** Only `absent` is evidence that there is no record; an unanswered query proves nothing. */
type NoRecords = { kind: "absent" } | { kind: "unanswered"; reason: string };
export type DnsAnswer = { kind: "records"; values: string[] } | NoRecords;
/** `values` joins the chunks of each record, as DNS specifies; `chunks` has them as published. */
export type TxtAnswer = { kind: "records"; values: string[]; chunks: string[][] } | NoRecords;

export interface DnsResolver {
  /** Follows CNAMEs, because the owner may delegate the name to another zone. */
  findTxt(name: string): Promise<TxtAnswer>;
  findCname(name: string): Promise<DnsAnswer>;
  /** IPv4 and IPv6, in two queries. */
  findAddresses(name: string): Promise<DnsAnswer>;
}

interface DnsResolverOptions {
  /**
   * Recursive resolvers as `ip`, `ip:port` or `[ip]:port`, tried in this order; an empty list means those of the
   * system.
   */
  servers: string[];
  /** The limit for one query, over all servers and tries. */
  timeoutSeconds?: number;
}

type RunQuery = <Found>(query: (resolver: Resolver) => Promise<Found[]>) => Promise<Found[] | NoRecords>;

export function createDnsResolver({ servers, timeoutSeconds = 5 }: DnsResolverOptions): DnsResolver {
  const open = () => openResolver(servers, timeoutSeconds);
  open(); // Throws at start if an address is invalid, instead of at the first check.
  const run: RunQuery = (query) => runWithin(timeoutSeconds, open(), query);
  return {
    async findTxt(name) {
      const chunks = await run((resolver) => resolver.resolveTxt(name));
      if (!Array.isArray(chunks)) return chunks;
      return { kind: "records", values: chunks.map((record) => record.join("")), chunks };
    },
    async findCname(name) {
      return answerOf(await run((resolver) => resolver.resolveCname(name)));
    },
    async findAddresses(name) {
      const [ipv4, ipv6] = await Promise.all([
        run((resolver) => resolver.resolve4(name)),
        run((resolver) => resolver.resolve6(name)),
      ]);
      const found = [ipv4, ipv6].filter((answer) => Array.isArray(answer)).flat();
      if (found.length > 0) return { kind: "records", values: found };
      return answerOf(isUnanswered(ipv4) ? ipv4 : ipv6);
    },
  };
}

/** Ignores case and the dot at the end of a full name. */
export function isSameName(one: string, other: string): boolean {
  return normalName(one) === normalName(other);
}

export function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function openResolver(servers: string[], timeoutSeconds: number): Resolver {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutSeconds * 300), tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/** Each query has its own resolver, because `cancel` ends all queries of a resolver. A resolver caches no answers. */
async function runWithin<Found>(
  timeoutSeconds: number,
  resolver: Resolver,
  query: (resolver: Resolver) => Promise<Found[]>,
): Promise<Found[] | NoRecords> {
  const deadline = setTimeout(() => resolver.cancel(), timeoutSeconds * 1000);
  try {
    const found = await query(resolver);
    // For a CNAME whose target has no such record, Node returns an empty list.
    return found.length === 0 ? { kind: "absent" } : found;
  } catch (error) {
    return noRecordsFrom(error);
  } finally {
    clearTimeout(deadline);
  }
}

function noRecordsFrom(error: unknown): NoRecords {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
  switch (error.code) {
    case "ENOTFOUND": // NXDOMAIN
    case "ENODATA":
      return { kind: "absent" };
    case "ECANCELLED":
      return { kind: "unanswered", reason: "TIMEOUT" };
    default:
      return { kind: "unanswered", reason: String(error.code).replace(/^E/, "") };
  }
}

function answerOf(found: string[] | NoRecords): DnsAnswer {
  return Array.isArray(found) ? { kind: "records", values: found } : found;
}

function isUnanswered(found: unknown[] | NoRecords): boolean {
  return !Array.isArray(found) && found.kind === "unanswered";
}
