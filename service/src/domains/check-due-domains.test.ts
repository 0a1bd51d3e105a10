import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { openTestDeps } from "../../test/domain-deps.ts";
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
  const opened = await openTestDeps(database.db, database.url, provider.simulator);
  deps = {
    ...opened,
    resolver: createDnsResolver({ servers: [knot.address], timeoutSeconds: 1 }),
    log: createLog("silent"),
  };
});
afterAll(() => deps.locks.close());

describe("a new domain", () => {
  test("stays Pending without records, and the check says what is missing", async () => {
    const domain = await aDomain();
    const checked = await check(domain);
    expect(checked.verificationStatus).toBe("Pending");
    expect(checked.recordChecks.map(({ status }) => status)).toEqual(new Array(4).fill("missing"));
    expect(checked.lastCheckedAt).not.toBeNull();
  });

  test("stays Pending with our TXT alone: the provider has not seen its records", async () => {
    const domain = await aDomain();
    await publishProof(domain);
    expect((await check(domain)).verificationStatus).toBe("Pending");
  });

  test("stays Pending with DKIM alone: never Success without the account's own TXT", async () => {
    const domain = await aDomain();
    await verifyAtProvider(domain, "SUCCESS");
    expect((await check(domain)).verificationStatus).toBe("Pending");
  });

  test("is Success with both", async () => {
    const domain = await aDomain();
    await publishProof(domain);
    await verifyAtProvider(domain, "SUCCESS");
    expect((await check(domain)).verificationStatus).toBe("Success");
  });

  test("older than an hour it learns of DKIM from the provider's list", async () => {
    const domain = await aDomain();
    await publishProof(domain);
    await verifyAtProvider(domain, "SUCCESS");
    await age(domain, "2 hours");
    expect((await check(domain)).verificationStatus).toBe("Pending");
    expect(await refreshDkim(deps, async () => undefined)).toBe(true);
    expect((await check(domain)).verificationStatus).toBe("Success");
  });

  test("is Failed after 72 hours without proof, and Success when the proof comes later", async () => {
    const domain = await aDomain();
    await age(domain, "72 hours");
    expect((await check(domain)).verificationStatus).toBe("Failed");
    await publishProof(domain);
    await verifyAtProvider(domain, "SUCCESS");
    await refreshDkim(deps, async () => undefined);
    expect((await check(domain)).verificationStatus).toBe("Success");
  });

  test("is not Failed by a DNS that does not answer", async () => {
    const domain = await aDomain();
    await age(domain, "100 hours");
    expect((await check(domain, { ...deps, resolver: aSilentResolver() })).verificationStatus).toBe("Pending");
  });
});

describe("a verified domain", () => {
  test("whose TXT vanished stays Success for 72 hours, then is Failed", async () => {
    const domain = await aVerifiedDomain();
    await knot.publish(`_postern-challenge.${domain.domainName}`);
    expect((await check(domain)).verificationStatus).toBe("Success");
    await failingSince(domain, "71 hours");
    expect((await check(domain)).verificationStatus).toBe("Success");
    await failingSince(domain, "72 hours");
    expect((await check(domain)).verificationStatus).toBe("Failed");
  });

  test("whose TXT came back starts a new count", async () => {
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

  test("survives one flaky answer, and the count goes on from where it was", async () => {
    const domain = await aVerifiedDomain();
    await knot.publish(`_postern-challenge.${domain.domainName}`);
    await check(domain);
    await failingSince(domain, "80 hours");
    expect((await check(domain, { ...deps, resolver: aSilentResolver() })).verificationStatus).toBe("Success");
    expect((await check(domain)).verificationStatus).toBe("Failed");
  });

  test("that the provider no longer trusts is Failed after 72 hours", async () => {
    const domain = await aVerifiedDomain();
    await verifyAtProvider(domain, "FAILED");
    await refreshDkim(deps, async () => undefined);
    expect((await check(domain)).verificationStatus).toBe("Success");
    await failingSince(domain, "73 hours");
    expect((await check(domain)).verificationStatus).toBe("Failed");
  });
});

test("of two accounts the first to prove wins, and the other stays Pending whatever it publishes", async () => {
  const name = aName();
  const [one, other] = [await aDomain(name), await aDomain(name)];
  await knot.publish(`_postern-challenge.${name}`, ...[one, other].map((domain) => `TXT "${proofOf(domain)}"`));
  await verifyAtProvider(one, "SUCCESS");
  expect((await check(one)).verificationStatus).toBe("Success");
  const second = await check(other);
  expect(second.verificationStatus).toBe("Pending");
  expect(second.recordChecks[0]?.hint).toContain("Another account");
});

test("an identity that vanished at the provider is noticed by the next list and made again", async () => {
  const domain = await aVerifiedDomain();
  await deps.provider.removeIdentity(domain.domainName);
  expect(await refreshDkim(deps, async () => undefined)).toBe(true);
  const identity = await deps.provider.findIdentity(domain.domainName);
  const restored = await findDomain(deps.db.forAccount(domain.accountId), domain.id);
  expect(identity?.dkimTokens).toEqual(restored?.dkimTokens);
  expect((await check(domain)).verificationStatus).toBe("Success");
  await failingSince(domain, "72 hours");
  expect((await check(domain)).verificationStatus).toBe("Failed");
});

test("a check asked for while another is under way is not swallowed by it", async () => {
  const domain = await aDomain();
  const asking = {
    ...deps,
    resolver: {
      ...deps.resolver,
      findTxt: async (name: string) => {
        await requestCheck(deps.db.forAccount(domain.accountId), domain.id);
        return deps.resolver.findTxt(name);
      },
    },
  };
  const { nextCheckAt } = await check(domain, asking);
  expect(Date.parse(nextCheckAt)).toBeLessThanOrEqual(Date.now());
});

test("a check that died with its process is made again when its claim has run out", async () => {
  const domain = await aDomain();
  await makeDueOnly(domain);
  expect((await claimDueDomains(deps.db, 10)).map(({ id }) => id)).toEqual([domain.id]);
  expect(await claimDueDomains(deps.db, 10)).toEqual([]);
  await makeDueOnly(domain);
  expect(await claimDueDomains(deps.db, 10)).toHaveLength(1);
});

test("the newest of many due domains is among the first to be checked, and so is the one due for longest", async () => {
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
  await deps.db.query({ name: "forget-many", text: "delete from domains where account_id = $1", values: [accountId] });
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

/** What SES would find after asking DNS for its own records. */
async function verifyAtProvider({ domainName }: Domain, status: "SUCCESS" | "FAILED"): Promise<void> {
  const url = `${provider.simulator.url}/_simulator/identities/${domainName}/verification`;
  const { ok } = await fetch(url, { method: "POST", body: JSON.stringify({ status }) });
  if (!ok) throw new Error("the simulator did not change the identity");
}

async function check(domain: Domain, at: VerificationDeps = deps): Promise<Domain> {
  await makeDueOnly(domain);
  expect(await checkDueDomains(at, 10)).toBe(1);
  const found = await findDomain(deps.db.forAccount(domain.accountId), domain.id);
  if (found === undefined) throw new Error("a checked domain is gone");
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

/** Asks a port where nobody answers. */
function aSilentResolver() {
  return createDnsResolver({ servers: ["127.0.0.1:9"], timeoutSeconds: 0.3 });
}
