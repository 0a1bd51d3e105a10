import { getDomain } from "tldts";
import { type DnsAnswer, type DnsResolver, isSameName, normalName } from "./dns-resolver.ts";
import type { DnsRecord } from "./domain.ts";

interface Lookup {
  record: DnsRecord;
  status: "found" | "missing" | "wrong" | "unknown";
  answer: DnsAnswer;
}

interface HintContext {
  resolver: DnsResolver;
  domainName: string;
  /**
   * The answers for a name that the owner cannot have published; only a wildcard answers for it. Queried once per
   * check.
   */
  probe: { addresses: () => Promise<DnsAnswer>; target: () => Promise<DnsAnswer> };
}

type Hint = string | undefined;

const wildcardHint = "A wildcard record (*) answers for this name: add the record itself, which takes precedence.";

/** Returns the probable mistake for each record, in order. Makes no queries for records that are found or unknown. */
export function findHints(resolver: DnsResolver, domainName: string, lookups: Lookup[]): Promise<Hint[]> {
  const probeName = `postern-wildcard-probe._domainkey.${domainName}`;
  const probe = {
    addresses: once(() => resolver.findAddresses(probeName)),
    target: once(() => resolver.findCname(probeName)),
  };
  const context = { resolver, domainName, probe };
  return Promise.all(
    lookups.map(async ({ record, status, answer }) => {
      if (status === "found") return undefined;
      if (answer.kind === "unanswered") {
        return `DNS did not answer for this name (${answer.reason}). This does not count against the record; the next check queries it again.`;
      }
      const values = valuesOf(answer);
      if (record.type === "CNAME" && values.length > 0) return wrongTarget(context, record, values);
      if (record.type === "CNAME") return noCname(context, record);
      return hintInText(record, values) ?? txtElsewhere(context, record, values);
    }),
  );
}

/** Recognises mistakes in the TXT values at the right name, without another query. */
function hintInText(record: DnsRecord, values: string[]): Hint {
  const texts = values.map(bare);
  if (texts.includes(record.value)) {
    return "The value has extra quotes, spaces, line breaks or other characters: enter it exactly as shown.";
  }
  if (texts.some((text) => record.value.startsWith(text) && texts.includes(record.value.slice(text.length)))) {
    return "The value is split over two TXT records: publish the whole value as one record.";
  }
  const [kind = ""] = record.value.split("=");
  if (texts.some((text) => text.startsWith(`${kind}=`))) {
    return "The value belongs to another registration: remove it and add the one shown here.";
  }
  return undefined;
}

/** At most seven queries, all concurrent. */
function txtElsewhere({ resolver, domainName }: HintContext, record: DnsRecord, values: string[]): Promise<Hint> {
  const [label = ""] = record.name.split(".");
  const holdsValue = async (name: string) =>
    valuesOf(await resolver.findTxt(name))
      .map(bare)
      .includes(record.value);
  const zones = zonesOf(domainName);
  const wrongNames = [
    domainName,
    record.name.replace(/^_/, ""),
    ...zones.filter((zone) => zone !== domainName).map((zone) => `${label}.${zone}`),
  ];
  return firstOf([
    ...zones.map(async (zone) => ((await holdsValue(`${record.name}.${zone}`)) ? doubled(record, zone) : undefined)),
    ...wrongNames.map(async (name) => ((await holdsValue(name)) ? misplaced(record, name) : undefined)),
    hintInAlias(resolver, record),
    hintInWildcard(resolver, domainName, values),
  ]);
}

async function hintInAlias(resolver: DnsResolver, record: DnsRecord): Promise<Hint> {
  const [target] = valuesOf(await resolver.findCname(record.name));
  if (target === undefined) return undefined;
  if (`${normalName(target)}.`.startsWith(`${record.value.toLowerCase()}.`)) {
    return "The value was published as a CNAME record: remove that one and publish it as a TXT record.";
  }
  return `This name is a CNAME to ${target}, which does not have the value: publish the TXT record there, or instead of the CNAME.`;
}

async function hintInWildcard(resolver: DnsResolver, domainName: string, values: string[]): Promise<Hint> {
  if (values.length === 0) return undefined;
  const probed = valuesOf(await resolver.findTxt(`postern-wildcard-probe.${domainName}`));
  return values.every((value) => probed.includes(value)) ? wildcardHint : undefined;
}

async function wrongTarget({ domainName, probe }: HintContext, record: DnsRecord, targets: string[]): Promise<Hint> {
  if (targets.some((target) => isAppended(target, record, domainName))) {
    return `The DNS console added the domain to the target: enter ${record.value}. with the dot at its end.`;
  }
  const probed = valuesOf(await probe.target());
  return targets.every((target) => probed.some((value) => isSameName(value, target))) ? wildcardHint : undefined;
}

/** At most five concurrent queries, and two more for all records together when this name has an address. */
function noCname({ resolver, domainName, probe }: HintContext, record: DnsRecord): Promise<Hint> {
  const leadsToTarget = async (name: string) =>
    valuesOf(await resolver.findCname(name)).some(
      (target) => isSameName(target, record.value) || isAppended(target, record, domainName),
    );
  const withoutDomainkey = record.name.replace("._domainkey.", ".");
  const hintInAddresses = async () => {
    if ((await resolver.findAddresses(record.name)).kind !== "records") return undefined;
    const { kind } = await probe.addresses();
    if (kind === "unanswered") return undefined;
    return kind === "records"
      ? wildcardHint
      : 'This name answers with an address instead of the CNAME: disable the proxy for this record ("DNS only").';
  };
  return firstOf([
    ...zonesOf(domainName).map(async (zone) =>
      (await leadsToTarget(`${record.name}.${zone}`)) ? doubled(record, zone) : undefined,
    ),
    leadsToTarget(withoutDomainkey).then((isFound) => (isFound ? misplaced(record, withoutDomainkey) : undefined)),
    hintInAddresses(),
  ]);
}

function doubled(record: DnsRecord, zone: string): string {
  const entered = record.name.slice(0, -(zone.length + 1));
  return `The record is at ${record.name}.${zone} because the DNS console adds the domain: enter only ${entered} as its name.`;
}

function misplaced(record: DnsRecord, name: string): string {
  return `The record is at ${name}: move it to ${record.name}.`;
}

/** A DNS console may append the name of its zone, which is the domain or a parent of it. */
function isAppended(target: string, record: DnsRecord, domainName: string): boolean {
  const [start, name] = [`${normalName(record.value)}.`, normalName(target)];
  return name.startsWith(start) && `.${domainName}`.endsWith(`.${name.slice(start.length)}`);
}

/** The zones in which the owner may publish: the domain itself and its registrable domain. */
function zonesOf(domainName: string): string[] {
  return [...new Set([domainName, getDomain(domainName, { allowPrivateDomains: true }) ?? domainName])];
}

/** Removes the characters that DNS consoles and copying add; our value has only the remaining ones. */
function bare(value: string): string {
  return value.replace(/[^\w=-]/g, "");
}

function valuesOf(answer: DnsAnswer): string[] {
  return answer.kind === "records" ? answer.values : [];
}

async function firstOf(hints: Promise<Hint>[]): Promise<Hint> {
  return (await Promise.all(hints)).find((hint) => hint !== undefined);
}

function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}
