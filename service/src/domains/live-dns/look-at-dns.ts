import { getDomain } from "tldts";
import type { Domain } from "../domain.ts";
import { adviceFor } from "./advice.ts";
import { type AskServer, askResolvers, createAskServer } from "./ask-servers.ts";
import { compareRecord, type RecordStatus } from "./compare-record.ts";
import type { DnsQuestion, DnsServerAddress } from "./exchange-message.ts";
import { type AppliedPolicy, dmarcRecordsIn, policyOf, subdomainPolicyOf } from "./mail-policies.ts";
import { findZone, type Zone } from "./name-servers.ts";
import type { ReachServer } from "./reachable-server.ts";
import { type DnsView, readAnswer } from "./read-answer.ts";
import { type WantedRecord, wantedRecordsOf } from "./wanted-record.ts";

export interface LookDeps {
  /** Recursive resolvers, in the order in which they are asked. */
  resolvers: DnsServerAddress[];
  reach: ReachServer;
}

export interface SeenRecord extends WantedRecord {
  /** What is published now: the status at the name server of the zone, or at the resolver when the name server did not answer. */
  status: RecordStatus;
  authoritative: { status: RecordStatus; view: DnsView };
  resolver: { status: RecordStatus; view: DnsView };
  advice: string | undefined;
}

export interface DnsLook {
  checkedAt: Date;
  /** Undefined when DNS did not answer. */
  zone: Zone | undefined;
  /** The DMARC policy that applies to mail of the domain, and the name of its record. */
  dmarc: AppliedPolicy | undefined;
  records: SeenRecord[];
}

const maxMs = 5000;

/** Asks the resolver and a name server of the zone for each record that concerns mail of the domain. At most 40 questions, in 5 seconds. */
export async function lookAtDns({ resolvers, reach }: LookDeps, domain: Domain): Promise<DnsLook> {
  const askServer = createAskServer(AbortSignal.timeout(maxMs));
  const askResolver = (question: DnsQuestion) => askResolvers(askServer, resolvers, question);
  const atResolver = async (question: DnsQuestion) => readAnswer(await askResolver(question), question, true);
  const finding = findZone({ askResolver, askServer, reach }, domain.domainName);
  const [zone, inherited, ...seen] = await Promise.all([
    finding,
    findInheritedPolicy(atResolver, domain.domainName),
    ...wantedRecordsOf(domain).map(async (record) => {
      const { name, type } = record;
      const [resolver, authoritative] = await Promise.all([
        atResolver({ name, type }),
        finding.then((found) => atNameServer(askServer, found, { name, type })),
      ]);
      return { record, resolver, authoritative };
    }),
  ]);
  const dmarc = appliedPolicy(seen) ?? inherited;
  const records = seen.map(({ record, resolver, authoritative }): SeenRecord => {
    const views = {
      authoritative: { status: compareRecord(record, authoritative), view: authoritative },
      resolver: { status: compareRecord(record, resolver), view: resolver },
    };
    const status = views.authoritative.status === "unknown" ? views.resolver.status : views.authoritative.status;
    return { ...record, ...views, status, advice: adviceFor({ domain, record, status, ...views, zone, dmarc }) };
  });
  return { checkedAt: new Date(), zone, dmarc, records };
}

async function atNameServer(askServer: AskServer, zone: Zone | undefined, question: DnsQuestion): Promise<DnsView> {
  if (zone?.server === undefined) return { kind: "unanswered", problem: "no-answer" };
  return readAnswer(await askServer(zone.server.address, question, false), question, false);
}

type Seen = { record: WantedRecord; resolver: DnsView; authoritative: DnsView };

function appliedPolicy(seen: Seen[]): AppliedPolicy | undefined {
  const own = seen.find(({ record }) => record.purpose === "dmarc");
  if (own === undefined) return undefined;
  const view = own.authoritative.kind === "unanswered" ? own.resolver : own.authoritative;
  return policyIn(view, own.record.name, policyOf);
}

/** A subdomain without a DMARC record has the policy of its registrable domain. */
async function findInheritedPolicy(
  atResolver: (question: DnsQuestion) => Promise<DnsView>,
  domainName: string,
): Promise<AppliedPolicy | undefined> {
  const parent = getDomain(domainName, { allowPrivateDomains: true }) ?? domainName;
  if (parent === domainName) return undefined;
  const name = `_dmarc.${parent}`;
  return policyIn(await atResolver({ name, type: "TXT" }), name, subdomainPolicyOf);
}

/** Receivers ignore the policy of a name with several DMARC records. */
function policyIn(view: DnsView, name: string, read: typeof policyOf): AppliedPolicy | undefined {
  const [record = "", ...more] = view.kind === "records" ? dmarcRecordsIn(view.values) : [];
  const policy = more.length === 0 ? read(record) : undefined;
  return policy && { policy, name };
}
