import type { Answer } from "../client.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

export const domainFieldTests: Tests = {
  "2.3-01": async (check, { scenes }) => {
    const { registered, got, listed } = await scenes.domain();
    check.integer("domain_id", registered.body?.domain_id);
    check.equal("domain_id in get", got.body?.domain_id, registered.body?.domain_id);
    check.equal("domain_id in the list", listed?.domain_id, registered.body?.domain_id);
  },
  "2.3-02": async (check, { scenes }) => {
    const { registered, got, listed } = await scenes.domain();
    check.uuid("tenant_id", registered.body?.tenant_id);
    check.equal("tenant_id in get", got.body?.tenant_id, registered.body?.tenant_id);
    check.equal("tenant_id in the list", listed?.tenant_id, registered.body?.tenant_id);
  },
  "2.3-03": async (check, { scenes }) => {
    const { name, registered, got, listed } = await scenes.domain();
    const names = [registered.body?.domain_name, got.body?.domain_name, listed?.domain_name];
    check.equal("domain_name in register, get and list", names, [name, name, name]);
  },
  "2.3-04": async (check, { scenes }) => {
    const { name, registered, got } = await scenes.domain();
    check.matches("identity_arn", registered.body?.identity_arn, /^arn:/);
    check.holds("it names the domain", registered.body?.identity_arn.endsWith(name), registered.body?.identity_arn);
    check.equal("identity_arn in get", got.body?.identity_arn, registered.body?.identity_arn);
  },
  "2.3-05": async (check, { scenes }) => {
    const { registered, got, listed } = await scenes.domain();
    const known = ["Pending", "Success", "Failed"];
    check.oneOf("verification_status in get", got.body?.verification_status, known);
    check.oneOf("verification_status in the list", listed?.verification_status, known);
    check.holds("it is not in register", !Object.hasOwn(registered.body, "verification_status"), registered.body);
  },
  "2.3-06": async (check, { scenes }) => {
    const { got, listed } = await scenes.domain();
    check.text("configuration_set_name in get", got.body?.configuration_set_name);
    check.equal("configuration_set_name in the list", listed?.configuration_set_name, got.body?.configuration_set_name);
  },
  "2.3-07": async (check, { scenes }) => {
    const { registered, got, listed } = await scenes.domain();
    check.holds("register has dns_records", registered.body?.dns_records?.length > 0, registered.body);
    check.equal("the records in get", recordsIn(got), recordsIn(registered));
    check.holds("the list has none", listed !== undefined && !Object.hasOwn(listed, "dns_records"), listed);
  },
  "2.3-08": async (check, { scenes }) => {
    const { registered } = await scenes.domain();
    for (const record of registered.body.dns_records) {
      check.fields("a DNS record", record, ["type", "name", "value"]);
      check.matches("type", record.type, /^(TXT|CNAME)$/);
      check.matches("name", record.name, /^[a-z0-9_.-]+$/i);
      check.text("value", record.value);
    }
  },
  "2.3-09": async (check, world) => check.equal("how many TXT records", (await records(world, "TXT")).length, 1),
  "2.3-10": async (check, world) => {
    const found = await records(world, "CNAME");
    check.holds("there are CNAME records", found.length > 0, found);
    for (const { name } of found) check.matches("the name of a CNAME", name, /\._domainkey\./);
  },
  "2.3-11": async (check, { scenes }) => {
    check.equal(
      "the status of a domain without records",
      (await scenes.domain()).got.body?.verification_status,
      "Pending",
    );
  },
  "2.3-12": async (check, { verifiedDomain, scenes, admin }) => {
    const name = verifiedDomain();
    check.equal(`the status of ${name}`, statusOf(await admin.asUser("GET", "/api/v1/domains"), name), "Success");
    check.status("a send from it", (await scenes.live()).answer, 202);
  },
  "2.3-13": async (check, world) => {
    const name = world.failedDomain();
    check.equal(`the status of ${name}`, statusOf(await world.admin.asUser("GET", "/api/v1/domains"), name), "Failed");
    const body = { from: `a@${name}`, to: [world.recipient("delivered")], subject: "Acceptance", text: "Hello." };
    check.error("a send from it", await world.admin.send("live", body), 400, "DOMAIN_NOT_VERIFIED");
  },
};

interface DnsRecord {
  type: string;
  name: string;
  value: string;
}

async function records({ scenes }: World, type: string): Promise<DnsRecord[]> {
  const all: DnsRecord[] = (await scenes.domain()).registered.body?.dns_records ?? [];
  return all.filter((record) => record.type === type);
}

function recordsIn({ body }: Answer): string[] {
  return (body?.dns_records ?? []).map(({ type, name, value }: DnsRecord) => `${type} ${name} ${value}`);
}

export function statusOf({ body }: Answer, name: string): string | undefined {
  const domains: { domain_name: string; verification_status: string }[] = body;
  return domains.find(({ domain_name }) => domain_name === name)?.verification_status;
}
