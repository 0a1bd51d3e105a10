import { getDomain } from "tldts";
import { type DnsAnswer, type DnsResolver, isSameName, normalName } from "./dns-resolver.ts";
import type { DnsRecord } from "./domain.ts";

interface LookedUp {
  record: DnsRecord;
  status: "found" | "missing" | "wrong" | "unknown";
  answer: DnsAnswer;
}

interface Place {
  resolver: DnsResolver;
  domainName: string;
  /** What a name answers that nobody has published; asked at most once per check, and only where it decides. */
  unpublished: { addresses: () => Promise<DnsAnswer>; target: () => Promise<DnsAnswer> };
}

type Hint = string | undefined;

const wildcardHint = "A wildcard record (*) answers for this name: add the record itself, it takes precedence.";

/** For each record, in order, what seems to have gone wrong. Asks nothing about records that are found or unknown. */
export function findHints(resolver: DnsResolver, domainName: string, looked: LookedUp[]): Promise<Hint[]> {
  const nobody = `postern-wildcard-probe._domainkey.${domainName}`;
  const unpublished = {
    addresses: once(() => resolver.findAddresses(nobody)),
    target: once(() => resolver.findCname(nobody)),
  };
  const place = { resolver, domainName, unpublished };
  return Promise.all(
    looked.map(async ({ record, status, answer }) => {
      if (status === "found") return undefined;
      if (answer.kind === "unanswered") {
        return `No answer came for this name (${answer.reason}): nothing was decided, and the next check asks again.`;
      }
      const values = valuesOf(answer);
      if (record.type === "CNAME" && values.length > 0) return wrongTarget(place, record, values);
      if (record.type === "CNAME") return noCname(place, record);
      return hintInText(record, values) ?? txtElsewhere(place, record, values);
    }),
  );
}

/** What the TXT values at the right name tell without another question. */
function hintInText(record: DnsRecord, values: string[]): Hint {
  const texts = values.map(bare);
  if (texts.includes(record.value)) {
    return "The value has quotes, spaces, line breaks or other characters too many: enter it exactly as shown.";
  }
  if (texts.some((text) => record.value.startsWith(text) && texts.includes(record.value.slice(text.length)))) {
    return "The value is split over two TXT records: publish the whole value as one record.";
  }
  const [kind = ""] = record.value.split("=");
  if (texts.some((text) => text.startsWith(`${kind}=`))) {
    return "The value is that of another registration: remove it and add the one shown here.";
  }
  return undefined;
}

/** At most seven questions, all at once. */
function txtElsewhere({ resolver, domainName }: Place, record: DnsRecord, values: string[]): Promise<Hint> {
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
  return `This name is a CNAME to ${target}, which lacks the value: publish the TXT record there or in place of the CNAME.`;
}

async function hintInWildcard(resolver: DnsResolver, domainName: string, values: string[]): Promise<Hint> {
  if (values.length === 0) return undefined;
  const unpublished = valuesOf(await resolver.findTxt(`postern-wildcard-probe.${domainName}`));
  return values.every((value) => unpublished.includes(value)) ? wildcardHint : undefined;
}

async function wrongTarget({ domainName, unpublished }: Place, record: DnsRecord, targets: string[]): Promise<Hint> {
  if (targets.some((target) => isAppended(target, record, domainName))) {
    return `The DNS console added the domain to the target: enter ${record.value}. with the dot at its end.`;
  }
  const answers = valuesOf(await unpublished.target());
  return targets.every((target) => answers.some((answer) => isSameName(answer, target))) ? wildcardHint : undefined;
}

/** At most five questions at once, and two for all records together when this name has an address. */
function noCname({ resolver, domainName, unpublished }: Place, record: DnsRecord): Promise<Hint> {
  const leadsToTarget = async (name: string) =>
    valuesOf(await resolver.findCname(name)).some(
      (target) => isSameName(target, record.value) || isAppended(target, record, domainName),
    );
  const withoutDomainkey = record.name.replace("._domainkey.", ".");
  const hintInAddresses = async () => {
    if ((await resolver.findAddresses(record.name)).kind !== "records") return undefined;
    const { kind } = await unpublished.addresses();
    if (kind === "unanswered") return undefined;
    return kind === "records"
      ? wildcardHint
      : 'This name answers with an address instead of the CNAME: switch the proxy of this record off ("DNS only").';
  };
  return firstOf([
    ...zonesOf(domainName).map(async (zone) =>
      (await leadsToTarget(`${record.name}.${zone}`)) ? doubled(record, zone) : undefined,
    ),
    leadsToTarget(withoutDomainkey).then((isThere) => (isThere ? misplaced(record, withoutDomainkey) : undefined)),
    hintInAddresses(),
  ]);
}

function doubled(record: DnsRecord, zone: string): string {
  const entered = record.name.slice(0, -(zone.length + 1));
  return `The record stands at ${record.name}.${zone} because the DNS console adds the domain: enter only ${entered} as its name.`;
}

function misplaced(record: DnsRecord, name: string): string {
  return `The record stands at ${name}: move it to ${record.name}.`;
}

/** A console adds the name of its zone, which is the domain or one above it. */
function isAppended(target: string, record: DnsRecord, domainName: string): boolean {
  const [start, name] = [`${normalName(record.value)}.`, normalName(target)];
  return name.startsWith(start) && `.${domainName}`.endsWith(`.${name.slice(start.length)}`);
}

/** The zones in which the owner can be publishing: the domain, and the registrable domain above it. */
function zonesOf(domainName: string): string[] {
  return [...new Set([domainName, getDomain(domainName, { allowPrivateDomains: true }) ?? domainName])];
}

/** A value without what consoles and copying add to it; ours consists of these characters only. */
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
