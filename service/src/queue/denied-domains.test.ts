import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { claimSends } from "./claim-sends.ts";
import { allowDomain, denyDomain, holdIfWidespread, returnDomainProbe } from "./denied-domains.ts";
import { LastAcceptance } from "./last-acceptance.ts";
import { unparkSends } from "./parked-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const code = "AccessDeniedException";

test("a claim parks the live sends of a denied domain, and leases all others", async () => {
  const { accountId, domainName, sends } = await aDomainWithSends(2);
  const otherDomain = await aVerifiedDomain(database.db, accountId);
  const others = [
    await aQueuedSend(database.db, { accountId, fromDomain: otherDomain }),
    ...(await aDomainWithSends(1)).sends,
  ];
  const testSend = await aQueuedSend(database.db, { accountId, fromDomain: domainName, mode: "test" });
  await denyDomain(database.db, { accountId, domainName }, code);
  const { sends: claimed, parked } = await claim();
  expect(claimed.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
  expect(claimed.map(({ isDomainProbe }) => isDomainProbe)).toEqual([false, false]);
  expect(parked).toBe(2);
  for (const id of sends) expect(await queueRow(database.db, id)).toMatchObject({ state: "parked", attempt: 0 });
  expect((await claim("test")).sends.map(({ id }) => id)).toEqual([testSend]);
});

test("a denied domain that is no longer verified follows the rule for unverified domains", async () => {
  const { accountId, domainName, sends } = await aDomainWithSends(1);
  await denyDomain(database.db, { accountId, domainName }, code);
  await claim();
  await change(database.db, "update domains set verification_status = 'Pending' where domain_name = $1", [domainName]);
  expect(await unparkSends(database.db, "live")).toBe(1);
  expect((await claim()).sends).toMatchObject([{ id: sends[0], domain: "unverified", isDomainProbe: false }]);
});

test("parked sends of a denied domain stay while those of another domain of the account are released", async () => {
  const { accountId, domainName, sends } = await aDomainWithSends(2);
  const fromDomain = await aVerifiedDomain(database.db, accountId);
  const other = await aQueuedSend(database.db, { accountId, fromDomain });
  const removed = await aQueuedSend(database.db, { accountId, fromDomain: "removed.test" });
  await denyDomain(database.db, { accountId, domainName }, code);
  await change(database.db, "update send_queue set state = 'parked', due_at = now()");
  expect(await unparkSends(database.db, "live")).toBe(2);
  expect(await queueRow(database.db, other)).toMatchObject({ state: "ready" });
  expect(await queueRow(database.db, removed)).toMatchObject({ state: "ready" });
  await allowDomain(database.db, { accountId, domainName });
  expect(await unparkSends(database.db, "live")).toBe(2);
  for (const id of sends) expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
});

test("parked time moves the position back and does not use up the retry window", async () => {
  const { accountId, domainName, sends } = await aDomainWithSends(1);
  await denyDomain(database.db, { accountId, domainName }, code);
  await claim();
  await change(
    database.db,
    `update send_queue
     set fair_at = now() - interval '70 minutes', due_at = now() - interval '1 hour', retrying_since = now() - interval '65 minutes'`,
  );
  await allowDomain(database.db, { accountId, domainName });
  await unparkSends(database.db, "live");
  const [row] = await change(
    database.db,
    `select round(extract(epoch from now() - fair_at))::int as waited, round(extract(epoch from now() - retrying_since))::int as retrying
     from send_queue where id = $1`,
    [sends[0]],
  );
  expect(row).toEqual({ waited: 600, retrying: 300 });
});

test("of eight workers that note the same denial one learns of it, and of eight that end it one", async () => {
  const { accountId, domainName } = await aDomainWithSends(1);
  const eight = Array.from({ length: 8 });
  const denied = await Promise.all(eight.map(() => denyDomain(database.db, { accountId, domainName }, code)));
  expect(denied.filter(Boolean)).toHaveLength(1);
  expect(await denyDomain(database.db, { accountId, domainName }, "NotFoundException")).toBe(true);
  const allowed = await Promise.all(eight.map(() => allowDomain(database.db, { accountId, domainName })));
  expect(allowed.filter((each) => each !== undefined)).toEqual([{ deniedSeconds: expect.closeTo(0, -1) }]);
  await returnDomainProbe(database.db, "00000000-0000-0000-0000-000000000000", { accountId, domainName });
  expect(await denialOf(domainName)).toEqual({
    denied_since: null,
    denial_code: null,
    probe_at: null,
    probe_send_id: null,
  });
});

test("three domains denied within two minutes hold the provider, and the first probe is due", async () => {
  await denySome(2);
  expect(await holdIfWidespread(database.db, "live")).toBe(false);
  await denySome(1);
  const held = await Promise.all(Array.from({ length: 8 }, () => holdIfWidespread(database.db, "live")));
  expect(held.filter(Boolean)).toHaveLength(1);
  const [state] = await change(
    database.db,
    "select hold_reason, probe_at <= now() as is_due from provider_state where mode = 'live'",
  );
  expect(state).toEqual({ hold_reason: "operator", is_due: true });
});

test("a paused tenant counts once, however many domains its account has", async () => {
  const accountId = await anAccount(database.db);
  const pause = async (account: string) =>
    denyDomain(
      database.db,
      { accountId: account, domainName: await aVerifiedDomain(database.db, account) },
      "SendingPausedException",
    );
  for (let domain = 0; domain < 4; domain++) await pause(accountId);
  await pause(await anAccount(database.db));
  expect(await holdIfWidespread(database.db, "live")).toBe(false);
  await pause(await anAccount(database.db));
  expect(await holdIfWidespread(database.db, "live")).toBe(true);
});

test("denied domains hold nobody while the provider accepts other mail, or when they have been denied for long", async () => {
  await denySome(5);
  await new LastAcceptance(database.db, "live").note();
  expect(await holdIfWidespread(database.db, "live")).toBe(false);
  await change(database.db, "update provider_state set accepted_at = now() - interval '2 minutes'");
  await change(
    database.db,
    "update domains set denied_since = now() - interval '2 minutes' where denied_since is not null",
  );
  await denySome(2);
  expect(await holdIfWidespread(database.db, "live")).toBe(false);
});

test("an acceptance is stored at most every half minute", async () => {
  const lastAcceptance = new LastAcceptance(database.db, "live");
  await lastAcceptance.note();
  await change(database.db, "update provider_state set accepted_at = null");
  await lastAcceptance.note();
  expect(await change(database.db, "select accepted_at from provider_state where mode = 'live'")).toEqual([
    { accepted_at: null },
  ]);
});

async function aDomainWithSends(count: number) {
  const accountId = await anAccount(database.db);
  const domainName = await aVerifiedDomain(database.db, accountId);
  const sends: string[] = [];
  while (sends.length < count) sends.push(await aQueuedSend(database.db, { accountId, fromDomain: domainName }));
  return { accountId, domainName, sends };
}

async function denySome(count: number) {
  for (let denied = 0; denied < count; denied++) await denyDomain(database.db, await aDomainWithSends(0), code);
}

function claim(mode: "live" | "test" = "live") {
  return claimSends(database.db, { mode, maxSends: 100, maxRecipients: 100, fromFairAt: "-infinity", isProbe: false });
}

async function denialOf(domainName: string) {
  const [row] = await change(
    database.db,
    "select denied_since, denial_code, probe_at, probe_send_id from domains where domain_name = $1",
    [domainName],
  );
  return row;
}
