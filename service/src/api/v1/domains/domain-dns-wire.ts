import { z } from "zod";
import type { Domain } from "../../../domains/domain.ts";
import type { DnsLook, SeenRecord } from "../../../domains/live-dns/look-at-dns.ts";
import type { DnsView } from "../../../domains/live-dns/read-answer.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

const status = z.enum(["found", "missing", "wrong", "unknown"]);
const values = z.array(z.string()).describe("At most 20, each shortened to 512 characters");
const problem = z
  .enum(["no-answer", "server-error", "alias-loop", "alias-elsewhere", "delegated"])
  .nullable()
  .describe(
    "Why the status is `unknown`. `alias-elsewhere`: the name is a CNAME into another zone. `delegated`: other name servers serve it",
  );

const seenRecord = z
  .object({
    type: z.enum(["TXT", "CNAME", "MX"]),
    name: z.string().meta({ example: "_dmarc.mail.acme.io" }),
    expected: z.string().nullable().describe("The value to publish; null where no record is needed"),
    purpose: z.enum(["ownership", "dkim", "mail-from", "spf", "dmarc"]),
    required: z.boolean().describe("Whether the domain is verified only with this record"),
    status: status.describe(
      "What is published now: the status at the name server, or at the resolver when the name server did not answer",
    ),
    authoritative: z
      .object({
        server: z.string().nullable().describe("The name server of the zone that was asked; null when none answered"),
        status,
        values,
        ttl_seconds: z.int().nullable(),
        problem,
      })
      .describe("What a name server of the zone answers"),
    resolver: z
      .object({
        status,
        values,
        ttl_seconds: z.int().nullable().describe("How long the resolver still remembers these values"),
        negative_until: wireTimestamp
          .nullable()
          .describe(
            "Until when the resolver remembers that there is no record; null when there is one, or it does not say",
          ),
        problem,
      })
      .describe("What the resolver of this installation answers, which Postern's own checks ask as well"),
    advice: z.string().nullable().describe("What to do, in plain words; null when there is nothing to do"),
  })
  .meta({ id: "SeenDnsRecord", description: "A DNS record as the name server and the resolver answer it now" });

export const domainDnsResponse = z
  .object({
    domain_id: z.int().meta({ example: 1 }),
    domain_name: z.string().meta({ example: "mail.acme.io" }),
    verification_status: z.enum(["Pending", "Success", "Failed"]),
    checked_at: wireTimestamp.describe("When DNS was asked; a response may be up to 5 seconds old"),
    last_checked_at: wireTimestamp
      .nullable()
      .describe("The last scheduled check, which decides the verification status"),
    next_check_at: wireTimestamp.describe("The next scheduled check"),
    zone: z.string().nullable().describe("The zone that has the records; null when DNS did not answer"),
    name_servers: z.array(z.string()).describe("The name servers of the zone, at most 4"),
    internal_name_servers: z
      .boolean()
      .describe("All name servers have addresses of internal networks, which Postern does not ask"),
    dmarc: z
      .object({ policy: z.enum(["none", "quarantine", "reject"]), name: z.string().describe("The name of its record") })
      .nullable()
      .describe("The DMARC policy that applies to mail of the domain; it may come from the registrable domain"),
    records: z.array(seenRecord),
  })
  .meta({ id: "DomainDns", description: "The DNS records of a domain as they are now" });

type DomainDns = z.infer<typeof domainDnsResponse>;

export function toDomainDns(domain: Domain, { checkedAt, zone, dmarc, records }: DnsLook): DomainDns {
  return {
    domain_id: domain.id,
    domain_name: domain.domainName,
    verification_status: domain.verificationStatus,
    checked_at: checkedAt.toISOString(),
    last_checked_at: domain.lastCheckedAt,
    next_check_at: domain.nextCheckAt,
    zone: zone?.name ?? null,
    name_servers: zone?.nameServers.map(shown) ?? [],
    internal_name_servers: zone?.isInternal ?? false,
    dmarc: dmarc ?? null,
    records: records.map((record) => toSeenRecord(record, zone?.server?.name, checkedAt)),
  };
}

function toSeenRecord(record: SeenRecord, server: string | undefined, checkedAt: Date): DomainDns["records"][number] {
  const { authoritative, resolver } = record;
  return {
    type: record.type,
    name: record.name,
    expected: record.expected,
    purpose: record.purpose,
    required: record.isRequired,
    status: record.status,
    authoritative: { server: server ?? null, status: authoritative.status, ...toView(authoritative.view) },
    resolver: {
      status: resolver.status,
      ...toView(resolver.view),
      negative_until: negativeUntil(resolver.view, checkedAt),
    },
    advice: record.advice ?? null,
  };
}

const maxValues = 20;

function toView(view: DnsView) {
  return {
    values: view.kind === "records" ? view.values.slice(0, maxValues).map(shown) : [],
    ttl_seconds: view.kind === "records" ? view.ttlSeconds : null,
    problem: view.kind === "unanswered" ? view.problem : null,
  };
}

function negativeUntil(view: DnsView, checkedAt: Date): string | null {
  if (view.kind !== "absent" || view.negativeSeconds === undefined) return null;
  return new Date(checkedAt.getTime() + view.negativeSeconds * 1000).toISOString();
}

/** DNS values are untrusted, so the displayed value is short and has no control characters. */
function shown(value: string): string {
  return value.slice(0, 512).replace(/\p{Cc}/gu, "\u{fffd}");
}
