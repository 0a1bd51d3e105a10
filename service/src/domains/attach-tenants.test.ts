import { beforeEach, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aMail } from "../../test/email-provider-contract.ts";
import { change } from "../../test/send-rows.ts";
import {
  aDomainAtSes,
  letTenantsBeDue,
  losingAnswerOf,
  openTenantFixture,
  resourcesOf,
  tenantOf,
} from "../../test/tenant-fixture.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ProviderError } from "../provider/email-provider.ts";
import { attachTenants, type TenantDeps } from "./attach-tenants.ts";

const database = useTestDatabase();
const ses = useSesProvider();
const maxMs = 20_000;

beforeEach(async () => {
  await change(database.db, "delete from domains");
  await change(database.db, "delete from tenant_removals");
});

test("an account gets one tenant with the configuration set and all its verified domains, and SES accepts its mail", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const { accountId, domainName } = await aDomainAtSes(database.db, ses);
  const second = await aDomainAtSes(database.db, ses, { accountId });
  const pending = await aDomainAtSes(database.db, ses, { accountId });
  await change(database.db, "update domains set verification_status = 'Pending' where domain_name = $1", [
    pending.domainName,
  ]);
  await attachTenants(deps, maxMs);
  const identities = [`identity/${domainName}`, `identity/${second.domainName}`].toSorted();
  expect(await resourcesOf(ses, accountId)).toEqual(["configuration-set/postern-AA", ...identities]);
  expect(await readyDomains()).toEqual([domainName, second.domainName].toSorted());
  const mail = { from: { name: "", address: `a@${domainName}` }, tenantName: tenantOf(accountId) };
  expect(await ses.sesProvider().submit(aMail(mail))).toMatchObject({ kind: "accepted" });
});

test.for(["createTenant", "addConfigurationSetToTenant", "addIdentityToTenant"] as const)(
  "after a crash behind %s the next run repeats the steps and finishes them",
  async (name) => {
    const deps = await openTenantFixture(database.db, ses);
    const { accountId, domainName } = await aDomainAtSes(database.db, ses);
    const provider = losingAnswerOf(deps.provider, name);
    await expect(attachTenants({ ...deps, provider }, maxMs)).rejects.toThrow("1 tenant changes failed");
    expect(await readyDomains()).toEqual([]);
    await attachTenants({ ...deps, provider }, maxMs);
    expect(await readyDomains()).toEqual([]);
    await letTenantsBeDue(database.db);
    await attachTenants({ ...deps, provider }, maxMs);
    expect(await readyDomains()).toEqual([domainName]);
    expect(await resourcesOf(ses, accountId)).toEqual(["configuration-set/postern-AA", `identity/${domainName}`]);
  },
);

test("a domain whose calls fail is tried again after a minute, and the others go on", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const failing = await aDomainAtSes(database.db, ses);
  const other = await aDomainAtSes(database.db, ses);
  let tries = 0;
  const addIdentityToTenant: TenantDeps["provider"]["addIdentityToTenant"] = async (tenant, domainName) => {
    if (domainName !== failing.domainName) return deps.provider.addIdentityToTenant(tenant, domainName);
    tries += 1;
    throw new ProviderError("denied", "AccessDeniedException: no", undefined);
  };
  const provider = { ...deps.provider, addIdentityToTenant };
  for (let run = 0; run < 3; run++) await attachTenants({ ...deps, provider }, maxMs).catch(() => undefined);
  expect(tries).toBe(1);
  expect(await readyDomains()).toEqual([other.domainName]);
  await letTenantsBeDue(database.db);
  await attachTenants(deps, maxMs);
  expect(await readyDomains()).toEqual([failing.domainName, other.domainName].toSorted());
});

test("without a control-call token the chore stops, does not fail, and continues in its next run", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const { domainName } = await aDomainAtSes(database.db, ses);
  await change(database.db, "update control_budget set next_at = now() + interval '30 seconds'");
  await attachTenants(deps, maxMs);
  expect(await readyDomains()).toEqual([]);
  await change(database.db, "update control_budget set next_at = now()");
  await attachTenants(deps, maxMs);
  expect(await readyDomains()).toEqual([domainName]);
});

test("a tenant that somebody deleted at SES is made again", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const accountId = await anAccount(database.db);
  // As after a run for an earlier domain of the account.
  await change(database.db, "update accounts set tenant_ready_at = now() where id = $1", [accountId]);
  const { domainName } = await aDomainAtSes(database.db, ses, { accountId });
  await expect(attachTenants(deps, maxMs)).rejects.toThrow();
  await letTenantsBeDue(database.db);
  await attachTenants(deps, maxMs);
  expect(await resourcesOf(ses, accountId)).toEqual(["configuration-set/postern-AA", `identity/${domainName}`]);
});

test("removing a domain removes its identity from the tenant, also after a crash and when SES no longer has it", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const { accountId, domainName } = await aDomainAtSes(database.db, ses);
  await attachTenants(deps, maxMs);
  await change(database.db, "delete from domains where domain_name = $1", [domainName]);
  const provider = losingAnswerOf(deps.provider, "removeIdentityFromTenant");
  await expect(attachTenants({ ...deps, provider }, maxMs)).rejects.toThrow();
  expect(await removals()).toBe(1);
  await attachTenants({ ...deps, provider }, maxMs);
  expect(await resourcesOf(ses, accountId)).toEqual(["configuration-set/postern-AA"]);
  expect(await removals()).toBe(0);
});

test("a domain that never began to get a tenant leaves no removal, and one removed between two steps does", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const untouched = await aDomainAtSes(database.db, ses);
  await change(database.db, "delete from domains where domain_name = $1", [untouched.domainName]);
  expect(await removals()).toBe(0);
  const { accountId, domainName } = await aDomainAtSes(database.db, ses);
  const provider = losingAnswerOf(deps.provider, "addIdentityToTenant");
  await expect(attachTenants({ ...deps, provider }, maxMs)).rejects.toThrow();
  await change(database.db, "delete from domains where domain_name = $1", [domainName]);
  await attachTenants(deps, maxMs);
  expect(await resourcesOf(ses, accountId)).toEqual(["configuration-set/postern-AA"]);
});

test("a domain that was removed and registered again ends with its identity in the tenant", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const { accountId, domainName } = await aDomainAtSes(database.db, ses);
  await attachTenants(deps, maxMs);
  const copy =
    "account_id, domain_name, challenge_token, configuration_set_name, verification_status, identity_arn, dkim_tokens, dkim_zone, registered_at";
  await change(
    database.db,
    `with old as (delete from domains where domain_name = $1 returning *) insert into domains (${copy}) select ${copy} from old`,
    [domainName],
  );
  await attachTenants(deps, maxMs);
  expect(await resourcesOf(ses, accountId)).toEqual(["configuration-set/postern-AA", `identity/${domainName}`]);
  expect([await readyDomains(), await removals()]).toEqual([[domainName], 0]);
});

test("a late removal leaves the identity of a domain that was registered again in the tenant", async () => {
  const deps = await openTenantFixture(database.db, ses);
  const { accountId, domainName } = await aDomainAtSes(database.db, ses);
  await attachTenants(deps, maxMs);
  await change(database.db, "insert into tenant_removals (account_id, domain_name) values ($1, $2)", [
    accountId,
    domainName,
  ]);
  await attachTenants(deps, maxMs);
  expect(await resourcesOf(ses, accountId)).toContain(`identity/${domainName}`);
  expect(await removals()).toBe(0);
});

async function readyDomains() {
  const rows = await change(
    database.db,
    "select domain_name from domains where tenant_ready_at is not null order by domain_name",
  );
  return rows.map((row) => row.domain_name);
}

async function removals() {
  return (await change(database.db, "select note from tenant_removals")).length;
}
