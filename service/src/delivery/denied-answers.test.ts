import { describe, expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aDeliveryLoop, queuedSends } from "../../test/delivery-loop-fixture.ts";
import { aClaimedSend, aQueuedSend, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database } from "../db/database.ts";
import type { SubmitResult } from "../provider/email-provider.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { denyDomain } from "../queue/denied-domains.ts";
import { takeDomainProbes } from "../queue/domain-probes.ts";
import { parkDeniedDomains } from "../queue/park-denied-domains.ts";
import { unparkSends } from "../queue/parked-sends.ts";
import { holdProvider } from "../queue/provider-hold.ts";
import { giveBack } from "../queue/settle-sends.ts";
import { settleAttempt } from "./settle-attempt.ts";
import { submitSend } from "./submit-send.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a denied send is parked with its domain, the provider is not held, and the denial is logged once", async () => {
  const { send, lines } = await deliverAndSettle(answers.denied);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "parked", attempt: 1, backoffStep: 0 });
  expect(await attemptsOf(database.db, send.id)).toEqual(["1 try-later"]);
  expect(await isDenied(send)).toBe(true);
  expect(await hold()).toEqual({ reason: null, isProbeDue: null });
  const denials = lines.filter(({ event }) => event === "domain.denied");
  expect(denials).toMatchObject([{ domain: send.fromDomain, code: "AccessDeniedException" }]);
  const again = await deliverAndSettle(answers.denied, send);
  expect(again.lines.filter(({ event }) => event === "domain.denied")).toEqual([]);
});

test("the denied domain waits, another domain sends on, and an accepted probe releases all its mail", async () => {
  let isDeniedNow = true;
  const { provider, mails } = aProviderThat((mail) =>
    isDeniedNow && mail.from.address.endsWith("@denied.test") ? answers.denied : answers.accepted,
  );
  const { loop } = aDeliveryLoop(database.db, provider);
  const denied = await queuedSends(database.db, 5, "denied.test");
  const others = await queuedSends(database.db, 5, "other.test");
  await loop.runOnce();
  expect(await statusesOf(others)).toEqual(Array(5).fill("sent"));
  const late = await aQueuedSend(database.db, await ownerOf(denied));
  await loop.runOnce();
  const submitted = mails.length;
  expect(await queueRow(database.db, late)).toMatchObject({ state: "parked", attempt: 0 });
  expect(await unparkSends(database.db, "live")).toBe(0);

  isDeniedNow = false;
  await change(database.db, "update domains set probe_at = now() where denied_since is not null");
  expect(await takeDomainProbes(database.db, "live")).toBe(1);
  await loop.runOnce();
  expect(mails).toHaveLength(submitted + 1);
  expect(await unparkSends(database.db, "live")).toBe(5);
  await loop.runOnce();
  expect(await statusesOf([...denied, late])).toEqual(Array(6).fill("sent"));
});

describe("the probe of a denied domain", () => {
  test.for([
    ["accepted", false, null],
    ["denied", true, false],
    ["refused", true, true],
    ["later", true, false],
    ["unknown", true, false],
    ["held", true, false],
  ] as const)("that is answered %s: still denied %s, next probe due %s", async ([answer, denied, isDue]) => {
    const probe = await aDomainProbe();
    await deliverAndSettle(answers[answer], probe);
    expect(await isDenied(probe)).toBe(denied);
    const [row] = await change(database.db, "select probe_at <= now() as is_due from domains where domain_name = $1", [
      probe.fromDomain,
    ]);
    expect(row).toEqual({ is_due: isDue });
  });

  test("that goes behind all other sends, because it was the probe of a provider hold too, is followed by the next", async () => {
    await holdProvider(database.db, "live", "quota");
    const probe = await aDomainProbe();
    await deliverAndSettle(answers.held, probe, { isProbe: true });
    expect(await queueRow(database.db, probe.id)).toMatchObject({ state: "ready" });
    const next = await aQueuedSend(database.db, await ownerOf([probe.id]));
    await change(database.db, "update send_queue set state = 'parked', due_at = now() where id = $1", [next]);
    expect(await takeDomainProbes(database.db, "live")).toBe(1);
    expect(await queueRow(database.db, next)).toMatchObject({ state: "ready" });
  });

  test("that was not submitted is followed by the next", async () => {
    const probe = await aDomainProbe();
    await deliverAndSettle(answers.accepted, { ...probe, sealed: null });
    await aQueuedSend(database.db, await ownerOf([probe.id]));
    await change(database.db, "update send_queue set state = 'parked', due_at = now()");
    expect(await takeDomainProbes(database.db, "live")).toBe(1);
  });
});

test("an answer that comes after the send was claimed again does not deny the domain", async () => {
  const first = await aClaimedSend(database.db);
  await giveBack(database.db, [{ ...attemptOf(first), outcome: "unknown" }]);
  const second = await claimAgain(database.db, first.id);
  const { lines } = await deliverAndSettle(answers.denied, first);
  expect(await isDenied(first)).toBe(false);
  expect(lines.filter(({ event }) => event === "domain.denied")).toEqual([]);
  await deliverAndSettle(answers.denied, second);
  expect(await isDenied(first)).toBe(true);
});

test("when the check for a widespread cause fails, the repeat of the settlement holds the provider", async () => {
  for (let domains = 0; domains < 2; domains++) await deliverAndSettle(answers.denied);
  const { deps, lines } = aDeliveryFixture(database.db, aProviderThat(answers.denied).provider);
  const send = await aClaimedSend(database.db);
  const result = await submitSend(deps, send, performance.now());
  const query: Database["query"] = async (statement) => {
    if (statement.name === "hold-if-widespread") throw new Error("no answer");
    return database.db.query(statement);
  };
  const failing = { ...deps, db: { ...database.db, query } };
  await expect(settleAttempt(failing, send, result, { isProbe: false })).rejects.toThrow("no answer");
  expect(await isDenied(send)).toBe(true);
  expect(await hold()).toMatchObject({ reason: null });
  await settleAttempt(deps, send, result, { isProbe: false });
  expect(await hold()).toMatchObject({ reason: "operator" });
  expect(lines.filter(({ event }) => event === "provider.held")).toHaveLength(1);
});

test("a probe of a provider hold that meets a denied domain leaves the hold, and the next probe is due", async () => {
  await holdProvider(database.db, "live", "operator");
  const { send } = await deliverAndSettle(answers.denied, undefined, { isProbe: true });
  expect(await hold()).toEqual({ reason: "operator", isProbeDue: true });
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "parked" });
});

test("a probe of a provider hold passes over the sends of a denied domain", async () => {
  const { provider, mails } = aProviderThat(answers.accepted);
  const { loop } = aDeliveryLoop(database.db, provider);
  const denied = await queuedSends(database.db, 20, "denied.test");
  await change(database.db, "update send_queue set fair_at = fair_at - interval '1 hour'");
  const [other = ""] = await queuedSends(database.db, 1, "other.test");
  const { accountId, fromDomain: domainName } = await ownerOf(denied);
  await denyDomain(database.db, { accountId, domainName }, "AccessDeniedException");
  await holdProvider(database.db, "live", "operator");
  await change(database.db, "update provider_state set probe_at = now()");
  expect(await parkDeniedDomains(database.db, "live")).toBe(20);
  expect(await parkDeniedDomains(database.db, "live")).toBe(0);
  expect(await loop.probe()).toBe(true);
  await loop.stop();
  expect(mails.map(({ tags }) => tags.sendId)).toEqual([other]);
  expect(await hold()).toEqual({ reason: null, isProbeDue: null });
});

async function deliverAndSettle(answer: SubmitResult, given?: ClaimedSend, { isProbe = false } = {}) {
  const { deps, lines } = aDeliveryFixture(database.db, aProviderThat(answer).provider);
  const send = given ?? (await aClaimedSend(database.db));
  await settleAttempt(deps, send, await submitSend(deps, send, performance.now()), { isProbe });
  return { send, lines };
}

/** A leased send that is the probe of its denied domain. */
async function aDomainProbe(): Promise<ClaimedSend> {
  const send = await aClaimedSend(database.db);
  const { accountId, fromDomain: domainName } = send;
  await denyDomain(database.db, { accountId, domainName }, "AccessDeniedException");
  await change(database.db, "update domains set probe_send_id = $1 where domain_name = $2", [send.id, domainName]);
  return { ...send, isDomainProbe: true };
}

async function isDenied({ fromDomain }: ClaimedSend) {
  const [row] = await change(database.db, "select denied_since from domains where domain_name = $1", [fromDomain]);
  return row?.denied_since !== null;
}

async function hold() {
  const [row] = await change(
    database.db,
    `select hold_reason as reason, probe_at <= now() as "isProbeDue" from provider_state where mode = 'live'`,
  );
  return row;
}

async function ownerOf([id = ""]: string[]) {
  const [row] = await database.db.query<{ accountId: string; fromDomain: string }>({
    name: "owner-of",
    text: `select account_id as "accountId", split_part(from_address, '@', 2) as "fromDomain" from sends where id = $1`,
    values: [id],
  });
  if (row === undefined) throw new Error("the send does not exist");
  return row;
}

async function statusesOf(ids: string[]) {
  return Promise.all(ids.map(async (id) => (await sendRow(database.db, id))?.status));
}
