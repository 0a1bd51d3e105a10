import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { identitiesOf, openDomainFixture } from "../../test/domain-fixture.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import { deleteDomain, draftDomain, listDomains, releaseDraft } from "./domain-store.ts";
import { type DomainDeps, registerDomain } from "./register-domain.ts";
import { abandonedAfterSeconds, finishRemovals, removeDomain } from "./remove-domain.ts";

const ses = useSesSimulator({ verifiedIdentities: [] });
const database = useTestDatabase();
let deps: DomainDeps;

beforeAll(async () => {
  deps = await openDomainFixture(database.db, database.url, ses.simulator);
});
afterAll(() => deps.locks.close());

/** An unhandled error leaves the same state behind as a crash at this point. */
const crash = new Error("the process crashed here");

describe("an interrupted registration", () => {
  const points: [string, (provider: EmailProvider) => Partial<EmailProvider>][] = [
    ["before the provider call", () => ({ createIdentity: () => Promise.reject(crash) })],
    [
      "after the provider call",
      (provider) => ({
        createIdentity: async (...args) => {
          await provider.createIdentity(...args);
          throw crash;
        },
      }),
    ],
    [
      "between the two provider calls",
      () => ({ createIdentity: async () => "exists", findIdentity: () => Promise.reject(crash) }),
    ],
  ];

  test.for(points)("%s leaves no visible domain, and registering again completes it", async ([, crashAt]) => {
    const accountId = await anAccount(deps.db);
    const name = aName();
    const crashing = { ...deps, provider: { ...deps.provider, ...crashAt(deps.provider) } };
    await expect(registerDomain(crashing, accountId, name)).rejects.toBe(crash);
    expect(await listDomains(deps.db.forAccount(accountId))).toEqual([]);

    const domain = await registerDomain(deps, accountId, name);
    expect(domain.dkimTokens).toHaveLength(3);
    expect((await identitiesOf(deps)).filter((identity) => identity === name)).toHaveLength(1);
  });

  test("that is not repeated is deleted after ten minutes, together with its identity", async () => {
    const accountId = await anAccount(deps.db);
    const name = aName();
    const crashing = {
      ...deps,
      provider: {
        ...deps.provider,
        createIdentity: async (...args: Parameters<EmailProvider["createIdentity"]>) => {
          await deps.provider.createIdentity(...args);
          throw crash;
        },
      },
    };
    await expect(registerDomain(crashing, accountId, name)).rejects.toBe(crash);
    await finishRemovals(deps, 10);
    expect(await identitiesOf(deps)).toContain(name);

    await ageDraft(name, abandonedAfterSeconds + 1);
    await finishRemovals(deps, 10);
    expect(await identitiesOf(deps)).not.toContain(name);
    expect(await countRows(name)).toBe(0);
  });
});

describe("a failing provider", () => {
  test.for(["throttled", "unavailable", "denied", "limit-reached", "invalid"] as const)(
    "with error %s leads to a 503 with a message, and the name can be registered later",
    async (kind) => {
      const accountId = await anAccount(deps.db);
      const name = aName();
      const refusing = {
        ...deps,
        provider: { ...deps.provider, createIdentity: () => Promise.reject(new ProviderError(kind, "no", undefined)) },
      };
      await expect(registerDomain(refusing, accountId, name)).rejects.toMatchObject({
        code: "UNAVAILABLE",
        retryAfterSeconds: 10,
        message: expect.stringMatching(/\.$/),
      });
      await expect(registerDomain(deps, accountId, name)).resolves.toMatchObject({ domainName: name });
    },
  );

  test("that throttles once is called again with another control-call token", async () => {
    let calls = 0;
    const busy = {
      ...deps,
      provider: {
        ...deps.provider,
        createIdentity: (...args: Parameters<EmailProvider["createIdentity"]>) => {
          calls++;
          if (calls === 1) return Promise.reject(new ProviderError("throttled", "not so fast", undefined));
          return deps.provider.createIdentity(...args);
        },
      },
    };
    await expect(registerDomain(busy, await anAccount(deps.db), aName())).resolves.toMatchObject({
      id: expect.any(Number),
    });
    expect(calls).toBe(2);
  });

  test("does not undo a removal: the domain is deleted, and a chore removes the identity later", async () => {
    const { accountId, id, domainName } = await aDomain();
    const refusing = {
      ...deps,
      provider: {
        ...deps.provider,
        removeIdentity: () => Promise.reject(new ProviderError("throttled", "no", undefined)),
      },
    };
    expect(await removeDomain(refusing, accountId, id)).toEqual({ identityRemovalError: expect.any(ProviderError) });
    expect(await countRows(domainName)).toBe(0);
    expect(await identitiesOf(deps)).toContain(domainName);
    await finishRemovals(deps, 10);
    expect(await identitiesOf(deps)).not.toContain(domainName);
  });

  test("for one name does not block the removal of others", async () => {
    const [stuck, other] = [await aDomain(), await aDomain()];
    const refusing = {
      ...deps,
      provider: {
        ...deps.provider,
        removeIdentity: (name: string) =>
          name === stuck.domainName
            ? Promise.reject(new ProviderError("unavailable", "no", undefined))
            : deps.provider.removeIdentity(name),
      },
    };
    await recordRemovals(stuck.domainName, other.domainName);
    await deleteRows(stuck.domainName, other.domainName);
    await expect(finishRemovals(refusing, 10)).rejects.toThrow("1 removals failed");
    const identities = await identitiesOf(deps);
    expect([identities.includes(stuck.domainName), identities.includes(other.domainName)]).toEqual([true, false]);
    await finishRemovals(deps, 10);
  });
});

test("removals that get no control-call token wait for the next run, which is no failure", async () => {
  const { domainName } = await aDomain();
  await recordRemovals(domainName);
  await deleteRows(domainName);
  const setNextToken = (at: string) =>
    deps.db.query({ name: `next-token-${at}`, text: `update control_budget set next_at = ${at}` });
  await setNextToken("now() + interval '20 seconds'");
  await finishRemovals(deps, 10);
  expect(await identitiesOf(deps)).toContain(domainName);
  await setNextToken("now()");
  await finishRemovals(deps, 10);
  expect(await identitiesOf(deps)).not.toContain(domainName);
});

describe("the limits of an account", () => {
  test("registrations at once do not exceed the limit of domains, and a removal makes room", async () => {
    const accountId = await anAccount(deps.db);
    await setDomainLimit(accountId, 2);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => registerDomain(deps, accountId, aName())));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    const [first] = await listDomains(deps.db.forAccount(accountId));
    await expect(registerDomain(deps, accountId, aName())).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("limit of 2 domains. Remove a domain"),
    });
    await expect(registerDomain(deps, accountId, first?.domainName ?? "")).rejects.toMatchObject({ code: "CONFLICT" });
    await removeDomain(deps, accountId, first?.id ?? 0);
    await expect(registerDomain(deps, accountId, aName())).resolves.toMatchObject({ accountId });
  });

  test("an interrupted registration counts, and can be completed at the limit", async () => {
    const accountId = await anAccount(deps.db);
    await setDomainLimit(accountId, 1);
    const name = aName();
    const crashing = { ...deps, provider: { ...deps.provider, createIdentity: () => Promise.reject(crash) } };
    await expect(registerDomain(crashing, accountId, name)).rejects.toBe(crash);
    await expect(registerDomain(deps, accountId, aName())).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await expect(registerDomain(deps, accountId, name)).resolves.toMatchObject({ domainName: name });
  });

  test("registrations that fail with 503 or 409 use up neither the limit nor the three in progress", async () => {
    const accountId = await anAccount(deps.db);
    await setDomainLimit(accountId, 4);
    const error = new ProviderError("unavailable", "no", undefined);
    const failing = { ...deps, provider: { ...deps.provider, createIdentity: () => Promise.reject(error) } };
    for (let failed = 0; failed < 6; failed++) {
      await expect(registerDomain(failing, accountId, aName())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
    const own = withOwnDkimKeys();
    for (let failed = 0; failed < 6; failed++) {
      await expect(registerDomain(own, accountId, aName())).rejects.toMatchObject({ code: "CONFLICT" });
    }
    await expect(registerDomain(deps, accountId, aName())).resolves.toMatchObject({ accountId });
  });

  test("drafts that are completed at once do not exceed the limit, however old they are", async () => {
    const accountId = await anAccount(deps.db);
    await setDomainLimit(accountId, 2);
    const names = Array.from({ length: 5 }, aName);
    const error = new ProviderError("unavailable", "no", undefined);
    const failing = { ...deps, provider: { ...deps.provider, createIdentity: () => Promise.reject(error) } };
    for (const name of names) await expect(registerDomain(failing, accountId, name)).rejects.toThrow();
    const results = await Promise.allSettled(names.map((name) => registerDomain(deps, accountId, name)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });

  test("a failed registration does not release the draft that a later request uses", async () => {
    const db = deps.db.forAccount(await anAccount(deps.db));
    const draft = { domainName: aName(), challengeToken: "token", configurationSetName: "set" };
    const [first, second] = [await draftDomain(db, draft), await draftDomain(db, draft)];
    if (first.kind !== "drafted" || second.kind !== "drafted") throw new Error("no draft");
    await setDomainLimit(db.accountId, 1);
    await releaseDraft(db, first);
    expect((await draftDomain(db, { ...draft, domainName: aName() })).kind).toBe("limit-reached");
    await releaseDraft(db, second);
    expect((await draftDomain(db, { ...draft, domainName: aName() })).kind).toBe("drafted");
  });

  test("at most three registrations of an account are in progress at once, and other accounts do not wait for them", async () => {
    const accountId = await anAccount(deps.db);
    const registered = await registerDomain(deps, accountId, aName());
    const names = new Set([aName(), aName(), aName()]);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const slow = {
      ...deps,
      provider: {
        ...deps.provider,
        createIdentity: async (...args: Parameters<EmailProvider["createIdentity"]>) => {
          names.delete(args[0]);
          await released;
          return deps.provider.createIdentity(...args);
        },
      },
    };
    const running = [...names].map((name) => registerDomain(slow, accountId, name));
    await expect.poll(() => names.size).toBe(0);
    await expect(registerDomain(deps, accountId, aName())).rejects.toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      retryAfterSeconds: 10,
    });
    await expect(registerDomain(deps, accountId, registered.domainName)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(aDomain()).resolves.toMatchObject({ id: expect.any(Number) });
    release();
    await Promise.all(running);
    await expect(registerDomain(deps, accountId, aName())).resolves.toMatchObject({ accountId });
  });
});

test("an identity that another system created in the same AWS account is used and never removed", async () => {
  const name = aName();
  await deps.provider.createConfigurationSet("other-system");
  await deps.provider.createIdentity(name, "other-system");
  const domain = await registerDomain(deps, await anAccount(deps.db), name);
  expect(domain.dkimTokens).toHaveLength(3);
  expect(await removeDomain(deps, domain.accountId, domain.id)).toEqual({ identityRemovalError: undefined });
  expect(await identitiesOf(deps)).toContain(name);
});

test("an identity with its own DKIM keys is refused, because it has no CNAME records", async () => {
  await expect(registerDomain(withOwnDkimKeys(), await anAccount(deps.db), aName())).rejects.toMatchObject({
    code: "CONFLICT",
  });
});

test("a removal that is recorded while an earlier one finishes is not lost", async () => {
  const [one, other] = [await aDomain(), await anAccount(deps.db)];
  const second = await registerDomain(deps, other, one.domainName);
  // The first removal finds the name taken. Before it deletes its record, the second account removes the domain too.
  const first = {
    ...deps,
    db: {
      ...deps.db,
      query: async <Row>(statement: Parameters<typeof deps.db.query>[0]): Promise<Row[]> => {
        const rows = await deps.db.query<Row>(statement);
        if (statement.name === "is-name-taken") await deleteDomain(deps.db.forAccount(other), second.id);
        return rows;
      },
    },
  };
  await removeDomain(first, one.accountId, one.id);
  expect(await identitiesOf(deps)).toContain(one.domainName);
  await finishRemovals(deps, 10);
  expect(await identitiesOf(deps)).not.toContain(one.domainName);
});

test("a late removal keeps the identity of a name that was registered again", async () => {
  const { domainName } = await aDomain();
  await recordRemovals(domainName);
  await finishRemovals(deps, 10);
  expect(await identitiesOf(deps)).toContain(domainName);
});

function withOwnDkimKeys(): DomainDeps {
  return {
    ...deps,
    provider: {
      ...deps.provider,
      createIdentity: async () => "exists" as const,
      findIdentity: async () => ({
        arn: "a",
        dkimStatus: "success" as const,
        dkimTokens: [],
        dkimZone: "z",
        configurationSetName: undefined,
        mailFrom: undefined,
      }),
    },
  };
}

function setDomainLimit(accountId: string, limit: number): Promise<unknown> {
  return deps.db.query({
    name: "set-domain-limit",
    text: "update accounts set domain_limit = $2 where id = $1",
    values: [accountId, limit],
  });
}

function aName(): string {
  return `shop-${randomBytes(5).toString("hex")}.io`;
}

async function aDomain() {
  return registerDomain(deps, await anAccount(deps.db), aName());
}

async function countRows(name: string): Promise<number> {
  const rows = await deps.db.query({
    name: "rows-of",
    text: "select id from domains where domain_name = $1",
    values: [name],
  });
  return rows.length;
}

function ageDraft(name: string, seconds: number): Promise<unknown> {
  return deps.db.query({
    name: "age-draft",
    text: "update domains set created_at = now() - make_interval(secs => $2) where domain_name = $1",
    values: [name, seconds],
  });
}

function recordRemovals(...names: string[]): Promise<unknown> {
  return deps.db.query({
    name: "record-removals",
    text: "insert into identity_removals (domain_name) select unnest($1::text[])",
    values: [names],
  });
}

function deleteRows(...names: string[]): Promise<unknown> {
  return deps.db.query({
    name: "delete-rows",
    text: "delete from domains where domain_name = any($1::text[])",
    values: [names],
  });
}
