import { Resolver } from "node:dns/promises";

/** An unanswered question says nothing about the record: only `absent` is evidence that it is not there. */
type Silence = { kind: "absent" } | { kind: "unanswered"; reason: string };
export type DnsAnswer = { kind: "records"; values: string[] } | Silence;
/** `values` joins the chunks of each record, as DNS means it; `chunks` keeps them as they were published. */
export type TxtAnswer = { kind: "records"; values: string[]; chunks: string[][] } | Silence;

export interface DnsResolver {
  /** Follows CNAMEs: the name may be delegated to another zone. */
  findTxt(name: string): Promise<TxtAnswer>;
  findCname(name: string): Promise<DnsAnswer>;
  /** IPv4 and IPv6; two questions. */
  findAddresses(name: string): Promise<DnsAnswer>;
}

interface DnsResolverOptions {
  /** Recursive resolvers as `ip`, `ip:port` or `[ip]:port`, asked in this order; none means those of the system. */
  servers: string[];
  /** The longest time one question may take, whatever the number of servers and tries. */
  timeoutSeconds?: number;
}

type Ask = <Found>(question: (resolver: Resolver) => Promise<Found[]>) => Promise<Found[] | Silence>;

export function createDnsResolver({ servers, timeoutSeconds = 5 }: DnsResolverOptions): DnsResolver {
  const open = () => openResolver(servers, timeoutSeconds);
  open(); // An address that is none is reported at start, not by the first check.
  const ask: Ask = (question) => askWithin(timeoutSeconds, open(), question);
  return {
    async findTxt(name) {
      const chunks = await ask((resolver) => resolver.resolveTxt(name));
      if (!Array.isArray(chunks)) return chunks;
      return { kind: "records", values: chunks.map((record) => record.join("")), chunks };
    },
    async findCname(name) {
      return answerOf(await ask((resolver) => resolver.resolveCname(name)));
    },
    async findAddresses(name) {
      const [four, six] = await Promise.all([
        ask((resolver) => resolver.resolve4(name)),
        ask((resolver) => resolver.resolve6(name)),
      ]);
      const found = [four, six].filter((answer) => Array.isArray(answer)).flat();
      if (found.length > 0) return { kind: "records", values: found };
      return answerOf(isUnanswered(four) ? four : six);
    },
  };
}

/** Names compare without regard to case and to the dot that ends a full name. */
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

/** Each question has a resolver of its own: cancelling ends every question of one, and it keeps no answers between. */
async function askWithin<Found>(
  timeoutSeconds: number,
  resolver: Resolver,
  question: (resolver: Resolver) => Promise<Found[]>,
): Promise<Found[] | Silence> {
  const deadline = setTimeout(() => resolver.cancel(), timeoutSeconds * 1000);
  try {
    const found = await question(resolver);
    // A CNAME whose target has no such record comes back as an empty list.
    return found.length === 0 ? { kind: "absent" } : found;
  } catch (error) {
    return silenceOf(error);
  } finally {
    clearTimeout(deadline);
  }
}

function silenceOf(error: unknown): Silence {
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

function answerOf(found: string[] | Silence): DnsAnswer {
  return Array.isArray(found) ? { kind: "records", values: found } : found;
}

function isUnanswered(found: unknown[] | Silence): boolean {
  return !Array.isArray(found) && found.kind === "unanswered";
}
