import { checkDomain, type SimulatedAws } from "../../test/simulated-aws.ts";
import type { Fault } from "./fault.ts";

/** SES has verified the domain; afterwards somebody changes its DNS records. */
function changedDns(change: (records: SimulatedAws["records"]) => SimulatedAws["records"]) {
  return async (aws: SimulatedAws) => {
    await aws.setVerification("SUCCESS");
    await aws.publish(change(aws.records));
  };
}

const isDmarc = ({ name }: { name: string }) => name.startsWith("_dmarc.");
const isReturnPath = ({ name }: { name: string }) => name.startsWith("bounce.");
const dmarc = (value: string) => ({ type: "TXT" as const, name: `_dmarc.${checkDomain}`, value });

export const domainFaults: Fault[] = [
  {
    name: "SES has no identity for the sender",
    inject: ({ provider }) => provider.removeIdentity(checkDomain),
    check: "identity",
    fix: /add the domain in Postern/,
  },
  {
    name: "the identity is not verified yet",
    inject: (aws) => aws.setVerification("PENDING"),
    check: "identity.verified",
    fix: /three DKIM records/,
    consequences: ["identity.dkim"],
  },
  {
    name: "SES gave up verifying the identity",
    inject: (aws) => aws.setVerification("FAILED"),
    check: "identity.verified",
    fix: /three DKIM records/,
    consequences: ["identity.dkim"],
  },
  {
    name: "SES no longer finds the DKIM records",
    inject: (aws) => aws.setVerification("TEMPORARY_FAILURE"),
    check: "identity.dkim",
    fix: /publish the DKIM records/,
  },
  {
    name: "a DKIM record is missing in DNS",
    inject: changedDns((records) => records.slice(1)),
    check: "dns.dkim",
    fix: /Add this record.*It must be: CNAME/,
  },
  {
    name: "a DKIM record has a wrong value",
    inject: changedDns(([first, ...others]) => [
      { ...(first ?? dmarc("")), value: "wrong.dkim.amazonses.com" },
      ...others,
    ]),
    check: "dns.dkim",
    fix: /Replace the published value.*It must be: CNAME/,
  },
  {
    name: "the MX record of MAIL FROM is missing",
    inject: (aws) => aws.publish(aws.records.filter(({ type }) => type !== "MX")),
    check: "identity.mail-from",
    fix: /publish the records of bounce\./,
    consequences: ["dns.mail-from"],
  },
  {
    name: "MAIL FROM has a second MX record",
    inject: changedDns((records) => [
      ...records,
      { type: "MX", name: `bounce.${checkDomain}`, value: "20 mx.shop.test" },
    ]),
    check: "dns.mail-from",
    fix: /exactly this MX record/,
  },
  {
    name: "the SPF record of MAIL FROM is missing",
    inject: changedDns((records) => records.filter((each) => !(isReturnPath(each) && each.type === "TXT"))),
    check: "dns.spf",
    fix: /Add this TXT record/,
  },
  {
    name: "the SPF record of MAIL FROM does not allow SES",
    inject: changedDns((records) =>
      records.map((each) => (isReturnPath(each) && each.type === "TXT" ? { ...each, value: "v=spf1 -all" } : each)),
    ),
    check: "dns.spf",
    fix: /include:amazonses\.com/,
  },
  {
    name: "there is no DMARC record",
    inject: changedDns((records) => records.filter((each) => !isDmarc(each))),
    check: "dns.dmarc",
    fix: /Add a TXT record at _dmarc/,
  },
  {
    name: "there are two DMARC records",
    inject: changedDns((records) => [...records, dmarc("v=DMARC1; p=reject;")]),
    check: "dns.dmarc",
    fix: /keep one/,
  },
  {
    name: "the DMARC record has no policy",
    inject: changedDns((records) => [...records.filter((each) => !isDmarc(each)), dmarc("v=DMARC1;")]),
    check: "dns.dmarc",
    fix: /must begin with v=DMARC1/,
  },
];
