import type { Answer, DecodedPacket } from "dns-packet";
import { isSameName, normalName } from "../dns-resolver.ts";
import type { DnsQuestion } from "./exchange-message.ts";

/** What a server says about a name and a type. */
export type DnsView =
  | { kind: "records"; values: string[]; ttlSeconds: number }
  /** `negativeSeconds`: how long a resolver remembers the absence. Undefined when the server does not say it. */
  | { kind: "absent"; negativeSeconds: number | undefined }
  | { kind: "unanswered"; problem: DnsProblem };

export type DnsProblem =
  | "no-answer"
  /** SERVFAIL, REFUSED and all other codes that say nothing about the name. */
  | "server-error"
  | "alias-loop"
  /** The name is an alias of a name in another zone, which the server of this zone does not know. */
  | "alias-elsewhere"
  /** Other name servers serve this name. */
  | "delegated";

/** Longer chains are mistakes; resolvers stop at about as many. */
const maxAliases = 8;
const nameError = 3;

/** Reads the answer of a resolver, or of a name server of the zone. Both list the aliases on the way to the record. */
export function readAnswer(packet: DecodedPacket | undefined, question: DnsQuestion, isRecursive: boolean): DnsView {
  if (packet === undefined) return unanswered("no-answer");
  const code = codeOf(packet);
  if (code !== 0 && code !== nameError) return unanswered("server-error");
  if (!isRecursive && !packet.flag_aa) {
    return unanswered(packet.authorities?.some(({ type }) => type === "NS") ? "delegated" : "server-error");
  }
  let name = question.name;
  let ttlSeconds = Number.POSITIVE_INFINITY;
  for (let aliases = 0; aliases <= maxAliases; aliases++) {
    const here = (packet.answers ?? []).filter((answer) => isSameName(answer.name, name));
    const records = here.filter(({ type }) => type === question.type);
    if (records.length > 0) {
      const ttls = records.map(ttlOf);
      return { kind: "records", values: records.flatMap(valuesIn), ttlSeconds: Math.min(ttlSeconds, ...ttls) };
    }
    const alias = here.find((answer) => answer.type === "CNAME");
    if (alias?.type !== "CNAME") return withoutRecord(packet, question, { name, isRecursive });
    name = alias.data;
    ttlSeconds = Math.min(ttlSeconds, ttlOf(alias));
  }
  return unanswered("alias-loop");
}

function withoutRecord(
  packet: DecodedPacket,
  question: DnsQuestion,
  { name, isRecursive }: { name: string; isRecursive: boolean },
): DnsView {
  const soa = packet.authorities?.find((answer) => answer.type === "SOA");
  const isInZone = isSameName(name, question.name) || (soa !== undefined && isWithin(name, soa.name));
  if (!isRecursive && !isInZone) return unanswered("alias-elsewhere");
  const negativeSeconds = soa?.type === "SOA" ? Math.min(ttlOf(soa), soa.data.minimum ?? 0) : undefined;
  return { kind: "absent", negativeSeconds };
}

/** The zone of a name: the owner of the SOA record that the answer to a SOA question has. Undefined when it has none above the name. */
export function zoneIn(packet: DecodedPacket | undefined, name: string): string | undefined {
  const records = [...(packet?.answers ?? []), ...(packet?.authorities ?? [])];
  const soa = records.find((answer) => answer.type === "SOA" && isWithin(name, answer.name));
  const zone = soa && normalName(soa.name);
  return zone === "" ? undefined : zone;
}

function isWithin(name: string, zone: string): boolean {
  return `.${normalName(name)}`.endsWith(`.${normalName(zone)}`);
}

export function codeOf({ flags = 0 }: DecodedPacket): number {
  return flags & 0xf;
}

function unanswered(problem: DnsProblem): DnsView {
  return { kind: "unanswered", problem };
}

function ttlOf(answer: Answer): number {
  return "ttl" in answer ? (answer.ttl ?? 0) : 0;
}

function valuesIn(answer: Answer): string[] {
  switch (answer.type) {
    case "TXT":
      return [Buffer.concat([answer.data].flat().map((chunk) => Buffer.from(chunk as Buffer))).toString()]; // strings are only for encoding
    case "MX":
      return [`${answer.data.preference ?? 0} ${normalName(answer.data.exchange)}`];
    case "CNAME":
    case "NS":
    case "A":
    case "AAAA":
      return [normalName(answer.data)];
    default:
      return [];
  }
}
