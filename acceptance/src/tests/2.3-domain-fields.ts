import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";

export const domainFieldTests: Tests = {
  "2.3-01": async (check, { fixtures }) => {
    const { registered, got, listed } = await fixtures.domain();
    check.integer("domain_id", registered.body?.domain_id);
    check.equal("domain_id in get", got.body?.domain_id, registered.body?.domain_id);
    check.equal("domain_id in the list", listed?.domain_id, registered.body?.domain_id);
  },
  "2.3-02": async (check, { fixtures }) => {
    const { registered, got, listed } = await fixtures.domain();
    check.uuid("tenant_id", registered.body?.tenant_id);
    check.equal("tenant_id in get", got.body?.tenant_id, registered.body?.tenant_id);
    check.equal("tenant_id in the list", listed?.tenant_id, registered.body?.tenant_id);
  },
  "2.3-03": async (check, { fixtures }) => {
    const { name, registered, got, listed } = await fixtures.domain();
    const names = [registered.body?.domain_name, got.body?.domain_name, listed?.domain_name];
    check.equal("domain_name in register, get and list", names, [name, name, name]);
  },
  "2.3-04": async (check, { fixtures }) => {
    const { name, registered, got, listed } = await fixtures.domain();
    check.matches("identity_arn", registered.body?.identity_arn, /^arn:/);
    check.holds(
      "identity_arn names the domain",
      registered.body?.identity_arn.endsWith(name),
      registered.body?.identity_arn,
    );
    check.equal("identity_arn in get", got.body?.identity_arn, registered.body?.identity_arn);
    check.equal("identity_arn in the list", listed?.identity_arn, registered.body?.identity_arn);
  },
  "2.3-05": async (check, { fixtures }) => {
    const { registered, got, listed } = await fixtures.domain();
    const known = ["Pending", "Success", "Failed"];
    check.oneOf("verification_status in get", got.body?.verification_status, known);
    check.oneOf("verification_status in the list", listed?.verification_status, known);
    check.holds(
      "verification_status is not in register",
      !Object.hasOwn(registered.body, "verification_status"),
      registered.body,
    );
  },
  "2.3-06": async (check, { fixtures }) => {
    const { got, listed } = await fixtures.domain();
    check.text("configuration_set_name in get", got.body?.configuration_set_name);
    check.equal("configuration_set_name in the list", listed?.configuration_set_name, got.body?.configuration_set_name);
  },
  "2.3-07": async (check, { fixtures }) => {
    const { registered, got, listed } = await fixtures.domain();
    check.holds("register has dns_records", registered.body?.dns_records?.length > 0, registered.body);
    check.equal("the records in get", recordsIn(got), recordsIn(registered));
    check.holds("the list has no dns_records", listed !== undefined && !Object.hasOwn(listed, "dns_records"), listed);
  },
  "2.3-08": async (check, { fixtures }) => {
    const { registered } = await fixtures.domain();
    for (const record of registered.body.dns_records) {
      check.fields("a DNS record", record, ["type", "name", "value"]);
      check.matches("type", record.type, /^(TXT|CNAME)$/);
      check.matches("name", record.name, /^[a-z0-9_.-]+$/i);
      check.text("value", record.value);
    }
  },
  "2.3-09": async (check, context) =>
    check.equal("the number of TXT records", (await records(context, "TXT")).length, 1),
  "2.3-10": async (check, context) => {
    const found = await records(context, "CNAME");
    check.holds("there are CNAME records", found.length > 0, found);
    for (const { name } of found) check.matches("the name of a CNAME", name, /\._domainkey\./);
  },
  "2.3-11": async (check, { fixtures }) => {
    check.equal(
      "the status of a domain without records",
      (await fixtures.domain()).got.body?.verification_status,
      "Pending",
    );
  },
  "2.3-12": async (check, { verifiedDomain, fixtures, admin }) => {
    const name = verifiedDomain();
    check.equal(`the status of ${name}`, statusOf(await admin.asUser("GET", "/api/v1/domains"), name), "Success");
    check.status("a send from the domain", (await fixtures.liveSend()).answer, 202);
  },
  "2.3-13": async (check, context) => {
    const name = context.failedDomain();
    check.equal(
      `the status of ${name}`,
      statusOf(await context.admin.asUser("GET", "/api/v1/domains"), name),
      "Failed",
    );
    const body = { from: `a@${name}`, to: [context.recipient("delivered")], subject: "Acceptance", text: "Hello." };
    check.error("a send from the domain", await context.admin.send("live", body), 400, "DOMAIN_NOT_VERIFIED");
  },
};

interface DnsRecord {
  type: string;
  name: string;
  value: string;
}

async function records({ fixtures }: TestContext, type: string): Promise<DnsRecord[]> {
  const all: DnsRecord[] = (await fixtures.domain()).registered.body?.dns_records ?? [];
  return all.filter((record) => record.type === type);
}

function recordsIn({ body }: Answer): string[] {
  return (body?.dns_records ?? []).map(({ type, name, value }: DnsRecord) => `${type} ${name} ${value}`);
}

export function statusOf({ body }: Answer, name: string): string | undefined {
  const domains: { domain_name: string; verification_status: string }[] = body;
  return domains.find(({ domain_name }) => domain_name === name)?.verification_status;
}
