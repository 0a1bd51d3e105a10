import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { anAccount } from "../../../test/builders.ts";
import { openDomainFixture } from "../../../test/domain-fixture.ts";
import { change } from "../../../test/send-rows.ts";
import { aDomainAtSes } from "../../../test/tenant-fixture.ts";
import { useSesProvider } from "../../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { ProviderError } from "../../provider/email-provider.ts";
import { storeNewIdentity } from "../dkim-store.ts";
import type { Domain } from "../domain.ts";
import { findDomain, listDomains } from "../domain-store.ts";
import type { DomainDeps } from "../register-domain.ts";
import { removeDomain } from "../remove-domain.ts";
import { applyDueMailFrom } from "./mail-from-chore.ts";
import { parseMailFromSubdomain, setMailFrom } from "./set-mail-from.ts";

const database = useTestDatabase();
const ses = useSesProvider();
const maxMs = 20_000;
let deps: DomainDeps;

beforeAll(async () => {
  deps = await openDomainFixture(database.db, database.url, ses.simulator.simulator);
});
afterAll(() => deps.locks.close());
beforeEach(() => change(database.db, "delete from domains"));

test("SES gets the subdomain, the status follows what SES reports, and null removes it again", async () => {
  const { accountId, id, domainName } = await aDomain();
  expect(await set(accountId, id, "bounce")).toMatchObject({
    applyError: undefined,
    domain: { mailFromSubdomain: "bounce", mailFromStatus: "Pending" },
  });
  expect(await atSes(domainName)).toEqual({ domain: `bounce.${domainName}`, status: "pending" });

  await letBeDue();
  await applyDueMailFrom(withStatus("success"), maxMs);
  expect(await find(accountId, id)).toMatchObject({ mailFromStatus: "Success" });

  await set(accountId, id, null);
  expect(await atSes(domainName)).toBeUndefined();
  expect(await find(accountId, id)).toMatchObject({ mailFromSubdomain: null, mailFromStatus: null });
  await letBeDue();
  await applyDueMailFrom(deps, maxMs);
  expect(await dueCount()).toBe(0);
});

test("after an error of SES the wish is kept, and the chore applies it", async () => {
  const { accountId, id, domainName } = await aDomain();
  const error = new ProviderError("unavailable", "SES is away", undefined);
  const failing = { ...deps.provider, setMailFrom: () => Promise.reject(error) };
  const answer = await setMailFrom({ ...deps, provider: failing }, accountId, { id, subdomain: "bounce" });
  expect(answer).toMatchObject({ applyError: error, domain: { mailFromStatus: "Pending" } });
  expect(await atSes(domainName)).toBeUndefined();
  await letBeDue();
  await applyDueMailFrom(deps, maxMs);
  expect(await atSes(domainName)).toMatchObject({ domain: `bounce.${domainName}` });
});

test("after a crash behind the call to SES the chore repeats it, and then nothing is left to apply", async () => {
  const { accountId, id, domainName } = await aDomain();
  const crashing = async (...args: Parameters<typeof deps.provider.setMailFrom>) => {
    await deps.provider.setMailFrom(...args);
    throw new Error("crashed");
  };
  await setMailFrom({ ...deps, provider: { ...deps.provider, setMailFrom: crashing } }, accountId, {
    id,
    subdomain: "a",
  });
  expect(await unapplied()).toBe(1);
  await letBeDue();
  await applyDueMailFrom(deps, maxMs);
  expect(await unapplied()).toBe(0);
  expect(await atSes(domainName)).toMatchObject({ domain: `a.${domainName}` });
});

test("of many requests at once SES ends up with the stored one", async () => {
  const { accountId, id, domainName } = await aDomain();
  await Promise.all(["a", "b", "c", "d", "e", "f", null, "g"].map((subdomain) => set(accountId, id, subdomain)));
  const { mailFromSubdomain } = (await find(accountId, id)) ?? {};
  const stored = mailFromSubdomain === null ? undefined : `${mailFromSubdomain}.${domainName}`;
  expect((await atSes(domainName))?.domain).toBe(stored);
  expect(await unapplied()).toBe(0);
});

test("a domain that is not verified, or of another account, cannot change the shared identity", async () => {
  const { accountId, id, domainName } = await aDomain();
  expect(await set(await anAccount(database.db), id, "bounce")).toBeUndefined();
  await change(database.db, "update domains set verification_status = 'Pending' where id = $1", [id]);
  expect(await set(accountId, id, "bounce")).toBeUndefined();
  expect(await atSes(domainName)).toBeUndefined();
});

test("when an operator changes it at SES, and when the identity is created again, the wish is applied again", async () => {
  const { accountId, id, domainName } = await aDomain();
  await set(accountId, id, "bounce");
  await deps.provider.setMailFrom(domainName, `other.${domainName}`);
  await letBeDue();
  await applyDueMailFrom(deps, maxMs);
  expect(await atSes(domainName)).toMatchObject({ domain: `bounce.${domainName}` });

  await deps.provider.removeIdentity(domainName);
  await deps.provider.createIdentity(domainName, deps.configurationSetName);
  await storeNewIdentity(database.db, domainName, { dkimTokens: ["x", "y", "z"], dkimZone: "z" });
  await applyDueMailFrom(deps, maxMs);
  expect(await atSes(domainName)).toMatchObject({ domain: `bounce.${domainName}` });
});

test("the next account that verifies the name starts without the MAIL FROM domain of the former one", async () => {
  const { accountId, id, domainName } = await aDomain();
  await set(accountId, id, "bounce");
  const next = await aPendingDomain(domainName);
  await change(database.db, "update domains set verification_status = 'Failed' where id = $1", [id]);
  await change(database.db, "update domains set verification_status = 'Success' where id = $1", [next.id]);
  await applyDueMailFrom(deps, maxMs);
  expect(await atSes(domainName)).toBeUndefined();
});

test("when the account removes the domain and another one has the name, its MAIL FROM domain goes with the verification", async () => {
  const { accountId, id, domainName } = await aDomain();
  await set(accountId, id, "bounce");
  const next = await aPendingDomain(domainName);
  await removeDomain(deps, accountId, id);
  await applyDueMailFrom(deps, maxMs);
  expect((await atSes(domainName))?.domain).toBe(`bounce.${domainName}`);
  await change(database.db, "update domains set verification_status = 'Success' where id = $1", [next.id]);
  await applyDueMailFrom(deps, maxMs);
  expect(await atSes(domainName)).toBeUndefined();
});

test("without a control-call token the chore stops, and the domain stays due", async () => {
  const { accountId, id } = await aDomain();
  const away = { ...deps.provider, setMailFrom: () => Promise.reject(new Error("away")) };
  await setMailFrom({ ...deps, provider: away }, accountId, { id, subdomain: "bounce" });
  await letBeDue();
  await change(database.db, "update control_budget set next_at = clock_timestamp() + interval '30 seconds'");
  await applyDueMailFrom(deps, maxMs);
  await change(database.db, "update control_budget set next_at = now()");
  expect([await unapplied(), await dueCount()]).toEqual([1, 1]);
});

test("a domain whose call fails is due again in a minute, and the others are applied", async () => {
  const [bad, good] = [await aDomain(), await aDomain()];
  const away = { ...deps.provider, setMailFrom: () => Promise.reject(new Error("away")) };
  for (const { accountId, id } of [bad, good]) {
    await setMailFrom({ ...deps, provider: away }, accountId, { id, subdomain: "bounce" });
  }
  await letBeDue();
  const partly = (name: string, mailFrom: string | undefined) =>
    name === bad.domainName ? Promise.reject(new Error("bad")) : deps.provider.setMailFrom(name, mailFrom);
  const provider = { ...deps.provider, setMailFrom: partly };
  await expect(applyDueMailFrom({ ...deps, provider }, maxMs)).rejects.toThrow("1 MAIL FROM domains failed");
  expect(await atSes(good.domainName)).toMatchObject({ domain: `bounce.${good.domainName}` });
  expect([await unapplied(), await dueCount()]).toEqual([1, 0]);
});

test("a subdomain is one or more labels, in lower case", () => {
  expect(parseMailFromSubdomain("Bounce", "acme.io")).toBe("bounce");
  expect(parseMailFromSubdomain("a.b-c", "acme.io")).toBe("a.b-c");
  for (const text of ["", ".", "a.", "-a", "a_b", "a b", "ü", "a".repeat(64), `${"a.".repeat(125)}a`]) {
    expect(() => parseMailFromSubdomain(text, "acme.io")).toThrow("must be the part before the domain");
  }
});

async function aDomain() {
  const { accountId, domainName } = await aDomainAtSes(database.db, ses);
  const [domain] = await listDomains(database.db.forAccount(accountId));
  return { accountId, domainName, id: domain?.id ?? 0 };
}

async function aPendingDomain(domainName: string): Promise<Domain> {
  const accountId = await anAccount(database.db);
  await change(
    database.db,
    `insert into domains (account_id, domain_name, challenge_token, configuration_set_name, identity_arn, dkim_tokens, dkim_zone,
       registered_at, next_check_at)
     values ($1, $2, 't', 's', 'a', '{}', 'z', now(), now())`,
    [accountId, domainName],
  );
  const [domain] = await listDomains(database.db.forAccount(accountId));
  if (domain === undefined) throw new Error("the domain was not stored");
  return domain;
}

function set(accountId: string, id: number, subdomain: string | null) {
  return setMailFrom(deps, accountId, { id, subdomain });
}

function find(accountId: string, id: number) {
  return findDomain(database.db.forAccount(accountId), id);
}

async function atSes(domainName: string) {
  return (await ses.sesProvider().findIdentity(domainName))?.mailFrom;
}

function withStatus(status: "success" | "failed"): DomainDeps {
  const findIdentity: DomainDeps["provider"]["findIdentity"] = async (name) => {
    const identity = await ses.sesProvider().findIdentity(name);
    if (identity === undefined) return undefined;
    return { ...identity, mailFrom: identity.mailFrom && { ...identity.mailFrom, status } };
  };
  return { ...deps, provider: { ...deps.provider, findIdentity } };
}

function letBeDue() {
  return change(database.db, "update domains set mail_from_due_at = now() where mail_from_due_at is not null");
}

async function unapplied(): Promise<number> {
  return count("not mail_from_is_applied");
}

async function dueCount(): Promise<number> {
  return count("mail_from_due_at <= now()");
}

async function count(condition: string): Promise<number> {
  const [row] = await database.db.query<{ count: number }>({
    name: `count-${condition}`,
    text: `select count(*) as count from domains where ${condition}`,
  });
  return row?.count ?? 0;
}
