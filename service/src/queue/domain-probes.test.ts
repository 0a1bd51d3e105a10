import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount, releaseAccount } from "../accounts/account-store.ts";
import { claimSends } from "./claim-sends.ts";
import { allowDomain, denyDomain, returnDomainProbe } from "./denied-domains.ts";
import { takeDomainProbes } from "./domain-probes.ts";
import { parkDenied } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a minute after the denial one of eight workers makes one send the probe, and a claim leases only that one", async () => {
  const { sends } = await aDeniedDomain(3);
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  await makeProbesDue();
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeDomainProbes(database.db, "live")));
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(1);
  const claimed = await claim();
  expect(claimed).toMatchObject([{ isDomainProbe: true, attempt: 1 }]);
  const states = await Promise.all(sends.map(async (id) => (await queueRow(database.db, id))?.state));
  expect(states.filter((state) => state === "parked")).toHaveLength(2);
});

test("a domain that waits for its SES tenant is not probed, unless accounts no longer send as tenants", async () => {
  await aDeniedDomain(1);
  await makeProbesDue();
  await change(database.db, "update domains set denial_code = 'TenantMissing' where denied_since is not null");
  expect(await takeDomainProbes(database.db, "live", true)).toBe(0);
  expect(await takeDomainProbes(database.db, "live", false)).toBe(1);
});

test("each probe is another send, whether the last one was denied or cancelled", async () => {
  await aDeniedDomain(3);
  const first = await nextProbe();
  await parkDenied(database.db, [
    { sendId: first.id, attempt: first.attempt, startedAt: first.attemptedAt, outcome: "try-later" },
  ]);
  const second = await nextProbe();
  await change(database.db, "delete from send_queue where id = $1", [second.id]);
  const third = await nextProbe();
  expect(new Set([first.id, second.id, third.id]).size).toBe(3);
});

test("a probe that waits for its claim or its answer is not replaced, and one whose worker crashed is", async () => {
  await aDeniedDomain(2);
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  const [first] = await claim();
  expect(first).toMatchObject({ isDomainProbe: true });
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  await change(database.db, "update send_queue set state = 'in-doubt' where id = $1", [first?.id]);
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  const [second] = await claim();
  expect(second?.id).not.toBe(first?.id);
});

test("a probe goes to the head of a queue that is an hour behind", async () => {
  await aDeniedDomain(2);
  const otherAccount = await anAccount(database.db);
  const fromDomain = await aVerifiedDomain(database.db, otherAccount);
  for (let sends = 0; sends < 20; sends++) {
    await aQueuedSend(database.db, { accountId: otherAccount, fromDomain, fairInSeconds: sends - 3_600 });
  }
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  const claimed = await claim(5);
  expect(claimed.filter(({ isDomainProbe }) => isDomainProbe)).toHaveLength(1);
});

test("domains whose probes wait for a claim count among the 60", async () => {
  await manyDeniedDomains(100);
  expect(await takeDomainProbes(database.db, "live")).toBe(60);
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
});

test("a returned probe makes another send the probe immediately; a probe of an earlier minute cannot be returned", async () => {
  const { accountId, domainName } = await aDeniedDomain(2);
  const first = await nextProbe();
  await returnDomainProbe(database.db, first.id, { accountId, domainName });
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  await returnDomainProbe(database.db, first.id, { accountId, domainName });
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
});

test("a denied domain without parked mail is no longer denied", async () => {
  const { accountId, domainName } = await aDeniedDomain(0);
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  expect(await allowDomain(database.db, { accountId, domainName })).toBeUndefined();
});

test("a domain whose only send is the probe stays denied while that waits for a retry", async () => {
  const { accountId, domainName } = await aDeniedDomain(1);
  const probe = await nextProbe();
  await change(
    database.db,
    "update send_queue set state = 'waiting', due_at = now() + interval '1 hour' where id = $1",
    [probe.id],
  );
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [probe.id]);
  expect(await claim()).toMatchObject([{ id: probe.id, isDomainProbe: true }]);
  expect(await allowDomain(database.db, { accountId, domainName })).toBeDefined();
});

test("a domain whose only parked send is locked stays denied", async () => {
  const { accountId, domainName, sends } = await aDeniedDomain(1);
  await makeProbesDue();
  await database.db.withTransaction(async (tx) => {
    await tx.query({ name: "lock", text: "select from send_queue where id = $1 for update", values: [sends[0]] });
    expect(await takeDomainProbes(database.db, "live")).toBe(0);
  });
  expect(await allowDomain(database.db, { accountId, domainName })).toBeDefined();
});

test.for(["held_at", "suspended_at"])(
  "a denied domain without mail is no longer denied, even with %s",
  async (column) => {
    const { accountId, domainName } = await aDeniedDomain(0);
    await change(database.db, `update accounts set ${column} = now() where id = $1`, [accountId]);
    await makeProbesDue();
    await takeDomainProbes(database.db, "live");
    expect(await allowDomain(database.db, { accountId, domainName })).toBeUndefined();
  },
);

test("a domain of a held account is not probed until the account is released", async () => {
  const { accountId } = await aDeniedDomain(1);
  await holdAccount(database.db, accountId, undefined);
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  await releaseAccount(database.db, accountId);
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
});

test("a probe goes no further ahead than a new send, and keeps an earlier position", async () => {
  await aDeniedDomain(2);
  const places = async () =>
    (
      await change(
        database.db,
        "select round(extract(epoch from fair_at - now()))::int as ahead from send_queue where state = 'ready'",
      )
    ).map(({ ahead }) => ahead);
  await change(database.db, "update send_queue set fair_at = now() + interval '1 hour'");
  await makeProbesDue();
  await takeDomainProbes(database.db, "live");
  expect(await places()).toEqual([0]);
  await change(database.db, "delete from send_queue where state = 'ready'");
  await change(
    database.db,
    "update send_queue set fair_at = now() - interval '90 seconds', due_at = now() - interval '60 seconds'",
  );
  await makeProbesDue();
  await takeDomainProbes(database.db, "live");
  expect(await places()).toEqual([-30]);
});

test("with 1,000 denied domains of one account 60 are probed a minute, and each one that recovers makes room", async () => {
  const accountId = await manyDeniedDomains(1_000);
  expect(await takeDomainProbes(database.db, "live")).toBe(60);
  expect(await takeDomainProbes(database.db, "live")).toBe(0);
  const [recovered] = await claim();
  await allowDomain(database.db, { accountId, domainName: recovered?.fromDomain ?? "" });
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
});

async function aDeniedDomain(count: number) {
  const accountId = await anAccount(database.db);
  const domainName = await aVerifiedDomain(database.db, accountId);
  const sends: string[] = [];
  while (sends.length < count) sends.push(await aQueuedSend(database.db, { accountId, fromDomain: domainName }));
  await denyDomain(database.db, { accountId, domainName }, "AccessDeniedException");
  expect(await claim()).toEqual([]);
  return { accountId, domainName, sends };
}

async function manyDeniedDomains(count: number) {
  const accountId = await anAccount(database.db);
  await change(
    database.db,
    `insert into domains (account_id, domain_name, challenge_token, configuration_set_name, verification_status, identity_arn,
       dkim_tokens, dkim_zone, registered_at, denied_since, denial_code, probe_at)
     select $1, number || '.' || $2::integer || '.many.test', 'token', 'postern-AA', 'Success', 'arn', '{}', 'zone', now(), now(), 'AccessDeniedException', now()
     from generate_series(1, $2::integer) as number`,
    [accountId, count],
  );
  await change(
    database.db,
    `insert into send_queue (id, account_id, mode, state, due_at, fair_at, from_domain, recipients)
     select gen_random_uuid(), $1, 'live', 'parked', now(), now(), number || '.' || $2::integer || '.many.test', '{ann@example.test}'
     from generate_series(1, $2::integer) as number, generate_series(1, 2)`,
    [accountId, count],
  );
  return accountId;
}

async function nextProbe() {
  await makeProbesDue();
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  const [probe, ...others] = await claim();
  if (probe === undefined || others.length > 0) throw new Error("the claim did not lease exactly the probe");
  return probe;
}

async function makeProbesDue(): Promise<void> {
  await change(database.db, "update domains set probe_at = now() where denied_since is not null");
}

async function claim(maxSends = 100) {
  const limits = { maxSends, maxRecipients: 100, fromFairAt: "-infinity", isProbe: false };
  return (await claimSends(database.db, { mode: "live", ...limits })).sends;
}
