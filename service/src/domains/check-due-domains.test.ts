import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { openDomainFixture } from "../../test/domain-fixture.ts";
import { useKnotServer } from "../../test/knot-server.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { checkDueDomains, type VerificationDeps } from "./check-due-domains.ts";
import { createDnsResolver } from "./dns-resolver.ts";
import { type Domain, dnsRecordsOf } from "./domain.ts";
import { findDomain, requestCheck } from "./domain-store.ts";
import { refreshDkim } from "./refresh-dkim.ts";
import { type DomainDeps, registerDomain } from "./register-domain.ts";
import { claimDueDomains } from "./verification-store.ts";

const knot = useKnotServer("io");
const provider = useSesSimulator();
const database = useTestDatabase();
let deps: DomainDeps & VerificationDeps;

beforeAll(async () => {
  const opened = await openDomainFixture(database.db, database.url, provider.simulator);
  deps = {
    ...opened,
    resolver: createDnsResolver({ servers: [knot.address], timeoutSeconds: 1 }),
    log: createLog("silent"),
  };
});
afterAll(() => deps.locks.close());

describe("a new domain", () => {
  test("stays Pending without records, and the check lists the missing ones", async () => {
    const domain = await aDomain();
    const checked = await check(domain);
    expect(checked.verificationStatus).toBe("Pending");
    expect(checked.recordChecks.map(({ status }) => status)).toEqual(new Array(4).fill("missing"));
    expect(checked.lastCheckedAt).not.toBeNull();
  });

  test("stays Pending with our TXT record only, because the provider has not seen its records", async () => {
    const domain = await aDomain();
    await publishProof(domain);
    expect((await check(domain)).verificationStatus).toBe("Pending");
  });

  test("stays Pending with DKIM only: Success requires the account's own TXT record", async () => {
    const domain = await aDomain();
    await verifyAtProvider(domain, "SUCCESS");
    expect((await check(domain)).verificationStatus).toBe("Pending");
  });

  test("becomes Success with both", async () => {
    const domain = await aDomain();
    await publishProof(domain);
    await verifyAtProvider(domain, "SUCCESS");
    expect((await check(domain)).verificationStatus).toBe("Success");
  });

  test("that is older than an hour gets its DKIM state from the provider's list", async () => {
    const domain = await aDomain();
    await publishProof(domain);
    await verifyAtProvider(domain, "SUCCESS");
    await age(domain, "2 hours");
    expect((await check(domain)).verificationStatus).toBe("Pending");
    expect(await refreshDkim(deps)).toBe(true);
    expect((await check(domain)).verificationStatus).toBe("Success");
  });

  test("becomes Failed after 72 hours without proof, and Success when the owner publishes the proof later", async () => {
    const domain = await aDomain();
    await age(domain, "72 hours");
    expect((await check(domain)).verificationStatus).toBe("Failed");
    await publishProof(domain);
    await verifyAtProvider(domain, "SUCCESS");
    await refreshDkim(deps);
    expect((await check(domain)).verificationStatus).toBe("Success");
  });

  test("does not become Failed while DNS does not answer", async () => {
    const domain = await aDomain();
    await age(domain, "100 hours");
    expect((await check(domain, { ...deps, resolver: anUnreachableResolver() })).verificationStatus).toBe("Pending");
  });
});

describe("a verified domain", () => {
  test("whose TXT record disappears stays Success for 72 hours and then becomes Failed", async () => {
    const domain = await aVerifiedDomain();
    await knot.publish(`_postern-challenge.${domain.domainName}`);
    expect((await check(domain)).verificationStatus).toBe("Success");
    await failingSince(domain, "71 hours");
    expect((await check(domain)).verificationStatus).toBe("Success");
    await failingSince(domain, "72 hours");
    expect((await check(domain)).verificationStatus).toBe("Failed");
  });

  test("whose TXT record returns gets a new period of 72 hours", async () => {
    const domain = await aVerifiedDomain();
    await knot.publish(`_postern-challenge.${domain.domainName}`);
    await check(domain);
    await failingSince(domain, "71 hours");
    await publishProof(domain);
    await check(domain);
    await knot.publish(`_postern-challenge.${domain.domainName}`);
    await check(domain);
    expect(await failingSeconds(domain)).toBeLessThan(60);
  });

  test("stays Success after a check without a DNS answer, which does not restart the 72 hours", async () => {
    const domain = await aVerifiedDomain();
    await knot.publish(`_postern-challenge.${domain.domainName}`);
    await check(domain);
    await failingSince(domain, "80 hours");
    expect((await check(domain, { ...deps, resolver: anUnreachableResolver() })).verificationStatus).toBe("Success");
    expect((await check(domain)).verificationStatus).toBe("Failed");
  });

  test("whose DKIM fails at the provider becomes Failed after 72 hours", async () => {
    const domain = await aVerifiedDomain();
    await verifyAtProvider(domain, "FAILED");
    await refreshDkim(deps);
    expect((await check(domain)).verificationStatus).toBe("Success");
    await failingSince(domain, "73 hours");
    expect((await check(domain)).verificationStatus).toBe("Failed");
  });
});

test("of two accounts the first to prove the domain verifies it, and the other stays Pending whatever it publishes", async () => {
  const name = aName();
  const [one, other] = [await aDomain(name), await aDomain(name)];
  await knot.publish(`_postern-challenge.${name}`, ...[one, other].map((domain) => `TXT "${proofOf(domain)}"`));
  await verifyAtProvider(one, "SUCCESS");
  expect((await check(one)).verificationStatus).toBe("Success");
  const second = await check(other);
  expect(second.verificationStatus).toBe("Pending");
  expect(second.recordChecks[0]?.hint).toContain("Another account");
});

test("refreshDkim detects an identity that is missing at the provider and creates it again", async () => {
  const domain = await aVerifiedDomain();
  await deps.provider.removeIdentity(domain.domainName);
  expect(await refreshDkim(deps)).toBe(true);
  const identity = await deps.provider.findIdentity(domain.domainName);
  const restored = await findDomain(deps.db.forAccount(domain.accountId), domain.id);
  expect(identity?.dkimTokens).toEqual(restored?.dkimTokens);
  expect((await check(domain)).verificationStatus).toBe("Success");
  await failingSince(domain, "72 hours");
  expect((await check(domain)).verificationStatus).toBe("Failed");
});

test("refreshDkim restores a missing identity in a later run, and does not fail, when it gets no control-call token", async () => {
  const domain = await aVerifiedDomain();
  await deps.provider.removeIdentity(domain.domainName);
  const setNextToken = (at: string) =>
    deps.db.query({ name: `next-token-${at}`, text: `update control_budget set next_at = ${at}` });
  const busy = {
    ...deps.provider,
    listIdentities: async (next?: string) => {
      await setNextToken("now() + interval '20 seconds'");
      return deps.provider.listIdentities(next);
    },
  };
  expect(await refreshDkim({ ...deps, provider: busy })).toBe(false);
  await setNextToken("now()");
  expect(await refreshDkim(deps)).toBe(true);
  expect(await deps.provider.findIdentity(domain.domainName)).toBeDefined();
});

test("a check that is requested during a running check still takes place", async () => {
  const domain = await aDomain();
  const requestingDeps = {
    ...deps,
    resolver: {
      ...deps.resolver,
      findTxt: async (name: string) => {
        await requestCheck(deps.db.forAccount(domain.accountId), domain.id);
        return deps.resolver.findTxt(name);
      },
    },
  };
  const { nextCheckAt } = await check(domain, requestingDeps);
  expect(Date.parse(nextCheckAt)).toBeLessThanOrEqual(Date.now());
});

test("another process repeats a check after the lease of a crashed process ends", async () => {
  const domain = await aDomain();
  await makeDueOnly(domain);
  expect((await claimDueDomains(deps.db, 10)).map(({ id }) => id)).toEqual([domain.id]);
  expect(await claimDueDomains(deps.db, 10)).toEqual([]);
  await makeDueOnly(domain);
  expect(await claimDueDomains(deps.db, 10)).toHaveLength(1);
});

test("the newest of many due domains is claimed first, and so is the one that has been due longest", async () => {
  const accountId = await anAccount(deps.db);
  await deps.db.query({
    name: "many-due",
    text: `
      insert into domains (account_id, domain_name, challenge_token, configuration_set_name, identity_arn, dkim_tokens,
        dkim_zone, registered_at, next_check_at)
      select $1, 'many-' || n || '.io', 't', 's', 'arn', '{a,b,c}', 'z', now() - interval '1 day',
        now() - make_interval(secs => n)
      from generate_series(1, 1000) as n`,
    values: [accountId],
  });
  const fresh = await aDomain();
  const claimed = await claimDueDomains(deps.db, 5);
  const names = claimed.map(({ domainName }) => domainName);
  expect(names).toContain(fresh.domainName);
  expect(names).toContain("many-1000.io");
  await deps.db.query({ name: "delete-many", text: "delete from domains where account_id = $1", values: [accountId] });
});

test("an account with 100 due domains delays no domain of another account", async () => {
  const [many, one] = [await anAccount(deps.db), await anAccount(deps.db)];
  await deps.db.query({
    name: "one-between-many",
    text: `
      insert into domains (account_id, domain_name, challenge_token, configuration_set_name, identity_arn, dkim_tokens,
        dkim_zone, registered_at, next_check_at)
      select case when n = 50 then $2::uuid else $1::uuid end, 'between-' || n || '.io', 't', 's', 'arn', '{a,b,c}', 'z',
        now() - make_interval(secs => n), now() - make_interval(secs => n)
      from generate_series(1, 100) as n`,
    values: [many, one],
  });
  const claimed = await claimDueDomains(deps.db, 5);
  expect(claimed.map(({ domainName }) => domainName)).toContain("between-50.io");
  await deps.db.query({
    name: "delete-both",
    text: "delete from domains where account_id = any($1::uuid[])",
    values: [[many, one]],
  });
});

test("accounts alternate in the lookups at the provider, which one account with many domains cannot use up", async () => {
  const many = await anAccount(deps.db);
  const domains = [];
  for (let number = 0; number < 12; number++) domains.push(await registerDomain(deps, many, aName()));
  const other = await aDomain();
  for (const domain of [...domains, other]) await publishProof(domain);
  await verifyAtProvider(other, "SUCCESS");
  await deps.db.query({
    name: "make-these-due",
    text: "update domains set next_check_at = case when id = any($1) then now() else now() + interval '1 day' end",
    values: [[...domains, other].map(({ id }) => id)],
  });
  const asked: string[] = [];
  const watchedProvider = {
    ...deps.provider,
    findIdentity: (name: string) => {
      asked.push(name);
      return deps.provider.findIdentity(name);
    },
  };
  expect(await checkDueDomains({ ...deps, provider: watchedProvider }, 50)).toBe(13);
  expect(asked.slice(0, 2)).toContain(other.domainName);
  expect(asked).toHaveLength(5);
  expect((await findDomain(deps.db.forAccount(other.accountId), other.id))?.verificationStatus).toBe("Success");
});

function aName(): string {
  return `shop-${randomBytes(5).toString("hex")}.io`;
}

async function aDomain(name = aName()): Promise<Domain> {
  return registerDomain(deps, await anAccount(deps.db), name);
}

async function aVerifiedDomain(): Promise<Domain> {
  const domain = await aDomain();
  await publishProof(domain);
  await verifyAtProvider(domain, "SUCCESS");
  const checked = await check(domain);
  expect(checked.verificationStatus).toBe("Success");
  return checked;
}

function proofOf(domain: Domain): string {
  return dnsRecordsOf(domain)[0]?.value ?? "";
}

function publishProof(domain: Domain): Promise<void> {
  return knot.publish(`_postern-challenge.${domain.domainName}`, `TXT "${proofOf(domain)}"`);
}

/** Sets the result of SES's own DNS check. */
async function verifyAtProvider({ domainName }: Domain, status: "SUCCESS" | "FAILED"): Promise<void> {
  const url = `${provider.simulator.url}/_simulator/identities/${domainName}/verification`;
  const { ok } = await fetch(url, { method: "POST", body: JSON.stringify({ status }) });
  if (!ok) throw new Error("the simulator did not change the identity");
}

async function check(domain: Domain, checkDeps: VerificationDeps = deps): Promise<Domain> {
  await makeDueOnly(domain);
  expect(await checkDueDomains(checkDeps, 10)).toBe(1);
  const found = await findDomain(deps.db.forAccount(domain.accountId), domain.id);
  if (found === undefined) throw new Error("the checked domain no longer exists");
  return found;
}

function makeDueOnly({ id }: Domain): Promise<unknown> {
  return deps.db.query({
    name: "make-due-only",
    text: "update domains set next_check_at = case when id = $1 then now() else now() + interval '1 day' end",
    values: [id],
  });
}

function age({ id }: Domain, by: string): Promise<unknown> {
  return deps.db.query({
    name: "age-domain",
    text: "update domains set registered_at = registered_at - $2::interval where id = $1",
    values: [id, by],
  });
}

function failingSince({ id }: Domain, ago: string): Promise<unknown> {
  return deps.db.query({
    name: "failing-since",
    text: "update domains set failing_since = now() - $2::interval where id = $1",
    values: [id, ago],
  });
}

async function failingSeconds({ id }: Domain): Promise<number> {
  const [row] = await deps.db.query<{ seconds: number }>({
    name: "failing-seconds",
    text: "select extract(epoch from now() - failing_since)::float8 as seconds from domains where id = $1",
    values: [id],
  });
  return row?.seconds ?? Number.NaN;
}

/** Queries a port on which no server listens. */
function anUnreachableResolver() {
  return createDnsResolver({ servers: ["127.0.0.1:9"], timeoutSeconds: 0.3 });
}
