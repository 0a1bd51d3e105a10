import type { Domain, DomainDns, SeenDnsRecord } from "../../api/api-types.ts";

/** Answers of the API for tests: a domain with the four records that SES and Postern need. */
const domainName = "mail.fernhill.example";
const keys = ["h4vq2nd7", "m7xl1o0k", "t9ws5be2"];

type Check = Partial<Omit<Domain["dns_records"][number], "type" | "name" | "value">>;

export function aDomain(checks: Check[] = [], changes: Partial<Domain> = {}): Domain {
  const records = [
    { type: "TXT" as const, name: `_postern-challenge.${domainName}`, value: "postern-verify=9f3kq7x2mzt4c8wd" },
    ...keys.map((key) => ({
      type: "CNAME" as const,
      name: `${key}._domainkey.${domainName}`,
      value: `${key}.dkim.amazonses.com`,
    })),
  ];
  return {
    domain_id: 7,
    tenant_id: "0190a0a0-0000-7000-8000-000000000001",
    domain_name: domainName,
    identity_arn: `arn:aws:ses:eu-central-1:123456789012:identity/${domainName}`,
    verification_status: "Pending",
    configuration_set_name: "postern",
    dns_records: records.map((record, index) => ({ ...record, ...checks[index] })),
    last_checked_at: checks.length === 0 ? null : "2026-11-16T15:00:00.000Z",
    next_check_at: "2026-11-16T15:10:00.000Z",
    mail_from: null,
    ...changes,
  };
}

type Seen = Partial<Omit<SeenDnsRecord, "authoritative" | "resolver">> & {
  authoritative?: Partial<SeenDnsRecord["authoritative"]>;
  resolver?: Partial<SeenDnsRecord["resolver"]>;
};

export function aSeenRecord({ authoritative, resolver, ...record }: Seen): SeenDnsRecord {
  const status = record.status ?? "found";
  return {
    type: "TXT",
    name: domainName,
    expected: null,
    purpose: "spf",
    required: false,
    status,
    advice: null,
    ...record,
    authoritative: {
      server: "ns1.dnsfold.example",
      status,
      values: [],
      ttl_seconds: null,
      problem: null,
      ...authoritative,
    },
    resolver: { status, values: [], ttl_seconds: null, negative_until: null, problem: null, ...resolver },
  };
}

/** The required records as they are now, and further ones. */
export function aLook(domain: Domain, seen: Seen[], further: SeenDnsRecord[] = []): DomainDns {
  const required = domain.dns_records.map(({ type, name, value }, index) =>
    aSeenRecord({
      type,
      name,
      expected: value,
      purpose: type === "TXT" ? "ownership" : "dkim",
      required: true,
      ...seen[index],
    }),
  );
  return {
    domain_id: domain.domain_id,
    domain_name: domain.domain_name,
    verification_status: domain.verification_status,
    checked_at: "2026-11-16T15:05:00.000Z",
    last_checked_at: domain.last_checked_at,
    next_check_at: domain.next_check_at,
    zone: "fernhill.example",
    name_servers: ["ns1.dnsfold.example", "ns2.dnsfold.example"],
    internal_name_servers: false,
    dmarc: null,
    records: [...required, ...further],
  };
}
