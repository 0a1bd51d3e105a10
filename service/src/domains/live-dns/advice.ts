import type { Domain } from "../domain.ts";
import type { RecordStatus } from "./compare-record.ts";
import { type AppliedPolicy, dmarcRecordsIn, spfRecordsIn } from "./mail-policies.ts";
import type { Zone } from "./name-servers.ts";
import type { DnsProblem, DnsView } from "./read-answer.ts";
import { firstDmarcPolicy, type WantedRecord } from "./wanted-record.ts";

interface Seen {
  status: RecordStatus;
  view: DnsView;
}

interface AdviceFacts {
  domain: Domain;
  record: WantedRecord;
  status: RecordStatus;
  authoritative: Seen;
  resolver: Seen;
  zone: Zone | undefined;
  dmarc: AppliedPolicy | undefined;
}

/** What the owner of the domain should do. Undefined when nothing is left to do. */
export function adviceFor(facts: AdviceFacts): string | undefined {
  const { authoritative, resolver, record } = facts;
  if (facts.status === "unknown") return adviceForUnknown(facts);
  if (authoritative.status === "found" && resolver.status !== "found") return adviceForStaleResolver(resolver);
  if (authoritative.status === "missing" && resolver.status === "found") {
    return `Your name server no longer has this record; our resolver still remembers it${forHowLong(resolver.view)}. Add it again.`;
  }
  switch (record.purpose) {
    case "ownership":
    case "dkim":
      return adviceForNeeded(facts);
    case "mail-from":
      return adviceForMailFrom(facts);
    case "spf":
      return record.expected === null ? adviceForOwnSpf(facts) : adviceForMailFromSpf(facts);
    case "dmarc":
      return adviceForDmarc(facts);
  }
}

function adviceForStaleResolver({ status, view }: Seen): string {
  switch (status) {
    case "unknown":
      return "Your name server has the record, but our resolver did not answer. The next check asks again.";
    case "missing":
      return `Your name server has the record. Our resolver remembers its absence${forHowLong(view)} and finds the record then.`;
    default:
      return `Your name server has the record. Our resolver remembers an earlier value${forHowLong(view)} and finds the new one then.`;
  }
}

const problemTexts: Record<DnsProblem, string> = {
  "no-answer": "DNS did not answer for this name within the time limit.",
  "server-error": "DNS answered for this name with an error.",
  "alias-loop": "This name is an alias (CNAME) that leads back to itself, or over more than eight others: correct it.",
  "alias-elsewhere": "This name is an alias (CNAME) of a name in another zone, for which DNS did not answer.",
  delegated: "Other name servers serve this name, and they did not answer.",
};

/** Silence of DNS never counts against a domain. */
function adviceForUnknown({ resolver: { view }, zone }: AdviceFacts): string {
  const text = problemTexts[view.kind === "unanswered" ? view.problem : "no-answer"];
  const servers = zone?.nameServers.join(", ") ?? "";
  return `${text} ${servers === "" ? "Check that the domain is registered and has name servers." : `Check its name servers: ${servers}.`}`;
}

/** The scheduled check searches for the mistake; its hint holds as long as the result is the same. */
function adviceForNeeded({ domain, record, status, zone }: AdviceFacts): string | undefined {
  if (status === "found") return undefined;
  const check = domain.recordChecks.find(({ record: { type, name } }) => type === record.type && name === record.name);
  if (check?.hint !== undefined && check.status === status) return check.hint;
  if (status === "wrong") return "Replace the published value with the expected one, exactly as shown.";
  return `Add this record${zone === undefined ? "" : ` to the zone ${zone.name}`}, exactly as shown.`;
}

function adviceForMailFrom({ status, record }: AdviceFacts): string | undefined {
  if (status === "found") return undefined;
  const meanwhile = "Until then SES uses its own return path, and mail goes out as before.";
  return status === "missing"
    ? `Add this MX record. ${meanwhile}`
    : `${record.name} must have exactly this MX record and no other. ${meanwhile}`;
}

function adviceForMailFromSpf({ status, resolver, authoritative }: AdviceFacts): string | undefined {
  if (status === "found") return undefined;
  if (status === "missing") return "Add this TXT record, so that SPF passes for the return path of your mail.";
  return spfRecordsIn(valuesOf(authoritative, resolver)).length > 1
    ? "This name has several SPF records, so SPF fails: merge them into one."
    : "The SPF record does not allow Amazon SES: add include:amazonses.com before its end.";
}

function adviceForOwnSpf({ status }: AdviceFacts): string {
  if (status === "wrong") {
    return "This name has several SPF records, so SPF fails for mail with this return path: merge them into one.";
  }
  return (
    "Mail through Postern needs no SPF record here: its return path is amazonses.com, for which SPF passes. DMARC passes through DKIM, " +
    "which is aligned with your domain. Set up a custom MAIL FROM domain if SPF must be aligned as well."
  );
}

function adviceForDmarc({ status, record, dmarc, authoritative, resolver }: AdviceFacts): string | undefined {
  if (status === "wrong") {
    return dmarcRecordsIn(valuesOf(authoritative, resolver)).length > 1
      ? "This name has several DMARC records, so receivers ignore all of them: keep one."
      : `Receivers ignore this DMARC record: it must begin with v=DMARC1 and have a policy p of none, quarantine or reject. Start with ${firstDmarcPolicy}`;
  }
  if (dmarc === undefined) {
    return `Large mailbox providers expect a DMARC record. Add a TXT record at ${record.name} and start with ${firstDmarcPolicy}`;
  }
  if (dmarc.name !== record.name)
    return `The policy of ${dmarc.name} (${dmarc.policy}) applies. No record is needed here.`;
  if (dmarc.policy !== "none") return undefined;
  return "p=none is fine to start with: receivers report and deliver. When all your mail passes DMARC, p=quarantine or p=reject protects the domain.";
}

function valuesOf(...seen: Seen[]): string[] {
  return seen.map(({ view }) => (view.kind === "records" ? view.values : [])).find(({ length }) => length > 0) ?? [];
}

function forHowLong(view: DnsView): string {
  const seconds = view.kind === "records" ? view.ttlSeconds : view.kind === "absent" ? view.negativeSeconds : undefined;
  if (seconds === undefined) return " for a while";
  if (seconds < 90) return ` for ${seconds} more seconds`;
  return ` for about ${Math.round(seconds / 60)} more minutes`;
}
