import { z } from "zod";
import {
  type DnsRecord,
  type Domain,
  dnsRecordsOf,
  mailFromDomainOf,
  mailFromRecordsOf,
} from "../../../domains/domain.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

export const registerDomainBody = z
  .strictObject({
    domain_name: z.string().min(1).max(1000).meta({ example: "mail.acme.io" }).describe("The domain to register"),
  })
  .meta({ example: { domain_name: "mail.acme.io" } });

const recordFields = {
  type: z.enum(["TXT", "CNAME"]),
  name: z.string().meta({ example: "_postern-challenge.mail.acme.io" }),
  value: z.string().meta({ example: "postern-verify=qK3n0vJ8yT5mZ2cW7xR1bL4sD9fG6hA0eU3iO8pQ5rM" }),
};
const dnsRecords = z.array(z.object(recordFields)).describe("Publish every record at the domain's DNS provider");
const checkedRecords = z
  .array(
    z.object({
      ...recordFields,
      status: z.enum(["found", "missing", "wrong"]).optional().describe("Absent until a DNS server has answered"),
      found_value: z.string().optional().describe("The value that is published instead; absent when there is none"),
      hint: z.string().optional().describe("The probable cause and how to fix it"),
    }),
  )
  .describe("Publish every record at the domain's DNS provider. The status comes from the last check");

const commonFields = {
  domain_id: z.int().meta({ example: 1 }),
  tenant_id: z.uuid().describe("Owning account"),
  domain_name: z.string().describe("In lower case; international names as A-labels").meta({ example: "mail.acme.io" }),
  identity_arn: z
    .string()
    .describe("The identity at the email provider")
    .meta({ example: "arn:aws:ses:eu-west-1:123456789012:identity/mail.acme.io" }),
};
const listedFields = {
  ...commonFields,
  verification_status: z.enum(["Pending", "Success", "Failed"]),
  configuration_set_name: z.string().meta({ example: "postern" }),
  last_checked_at: wireTimestamp.nullable(),
  next_check_at: wireTimestamp,
};

export const registeredDomainResponse = z
  .object({ ...commonFields, dns_records: dnsRecords })
  .meta({ id: "RegisteredDomain", description: "The registered domain with the DNS records to publish" });

export const domainList = z
  .array(
    z
      .object({
        ...listedFields,
        records_found: z.int().describe("How many of its DNS records the last check found").meta({ example: 3 }),
        records_total: z.int().describe("How many DNS records it needs").meta({ example: 4 }),
      })
      .meta({ id: "ListedDomain", description: "A domain without its DNS records" }),
  )
  .describe("All domains of the account");

const mailFrom = z
  .object({
    domain: z.string().meta({ example: "bounce.mail.acme.io" }),
    status: z
      .enum(["Pending", "Success", "Failed"])
      .describe(
        "Whether SES uses it. `Pending`: SES has not found the MX record yet. `Failed`: SES stopped looking; set it again",
      ),
    records: z.array(
      z.object({
        type: z.enum(["MX", "TXT"]),
        name: z.string().meta({ example: "bounce.mail.acme.io" }),
        value: z.string().meta({ example: "10 feedback-smtp.eu-west-1.amazonses.com" }),
      }),
    ),
  })
  .nullable()
  .describe("The custom MAIL FROM domain with its DNS records; null while mail uses the return path of SES");

export const domainResponse = z
  .object({
    ...listedFields,
    dns_records: checkedRecords,
    mail_from: mailFrom,
  })
  .meta({ id: "Domain", description: "A domain with its DNS records" });

export const removedDomainResponse = z.object({ success: z.literal(true) }).describe("The domain is removed");

export function toRegisteredDomain(domain: Domain): z.infer<typeof registeredDomainResponse> {
  return { ...toCommon(domain), dns_records: dnsRecordsOf(domain) };
}

export function toListedDomain(domain: Domain): z.infer<typeof domainList>[number] {
  const records = dnsRecordsOf(domain);
  const isFound = (record: DnsRecord) => checkOf(domain, record).status === "found";
  return { ...toListed(domain), records_found: records.filter(isFound).length, records_total: records.length };
}

export function toDomainResponse(domain: Domain): z.infer<typeof domainResponse> {
  return {
    ...toListed(domain),
    dns_records: dnsRecordsOf(domain).map((record) => ({ ...record, ...checkOf(domain, record) })),
    mail_from: toMailFrom(domain),
  };
}

function toMailFrom(domain: Domain): z.infer<typeof mailFrom> {
  const name = mailFromDomainOf(domain);
  if (name === undefined) return null;
  return { domain: name, status: domain.mailFromStatus ?? "Pending", records: mailFromRecordsOf(domain) };
}

function checkOf({ recordChecks }: Domain, record: DnsRecord) {
  const check = recordChecks.find(({ record: { type, name } }) => type === record.type && name === record.name);
  if (check === undefined) return {};
  return {
    ...(check.status === "unknown" ? {} : { status: check.status }),
    ...(check.foundValue === undefined ? {} : { found_value: check.foundValue }),
    ...(check.hint === undefined ? {} : { hint: check.hint }),
  };
}

function toListed(domain: Domain) {
  return {
    ...toCommon(domain),
    verification_status: domain.verificationStatus,
    configuration_set_name: domain.configurationSetName,
    last_checked_at: domain.lastCheckedAt,
    next_check_at: domain.nextCheckAt,
  };
}

function toCommon(domain: Domain) {
  return {
    domain_id: domain.id,
    tenant_id: domain.accountId,
    domain_name: domain.domainName,
    identity_arn: domain.identityArn,
  };
}
