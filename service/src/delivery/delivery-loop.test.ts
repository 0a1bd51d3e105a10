import { describe, expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { answers, aProviderThat, deliveryTestDeps } from "../../test/delivery-deps.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { EmailProvider, SubmitResult } from "../provider/email-provider.ts";
import { holdProvider } from "../queue/provider-hold.ts";
import { DeliveryLoop } from "./delivery-loop.ts";

const database = useTestDatabase();
useEmptyQueue(database);
const { simulator, sesProvider } = useSesProvider();

describe("one round", () => {
  test("claims what fits its slots and settles all of it", async () => {
    const { mails, provider } = aProviderThat(answers.accepted);
    const ids = await queuedSends(5);
    const { loop } = aLoop(provider, { slots: 3 });
    expect(await loop.runOnce()).toBe(3);
    expect(await loop.runOnce()).toBe(2);
    expect(await loop.runOnce()).toBe(0);
    expect(mails.map(({ tags }) => tags.sendId).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await sendRow(database.db, id)).toMatchObject({ status: "sent" });
  });

  test("gives the pace back for sends that are not handed over", async () => {
    await change(database.db, "update provider_state set max_per_second = 1");
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), fromDomain: "gone.test" });
    const { loop } = aLoop(aProviderThat(answers.accepted).provider);
    expect(await loop.runOnce()).toBe(1);
    const rows = await change(database.db, "select lock_pace('live') <= clock_timestamp() as is_free");
    expect(rows).toEqual([{ is_free: true }]);
  });

  test("charges the pace for every recipient", async () => {
    await change(database.db, "update provider_state set max_per_second = 100");
    const accountId = await anAccount(database.db);
    const fromDomain = await aVerifiedDomain(database.db, accountId);
    const to = Array.from({ length: 50 }, (_, index) => `to-${index}@example.test`);
    await aQueuedSend(database.db, { accountId, fromDomain, to });
    const { loop } = aLoop(aProviderThat(answers.accepted).provider);
    await loop.runOnce();
    const [row] = await change(
      database.db,
      "select extract(epoch from lock_pace('live') - clock_timestamp())::float8 as ahead",
    );
    expect(row?.ahead).toBeGreaterThan(0.4);
  });

  test("under a hold claims nothing; the probe hands one over and lets the rest go", async () => {
    const { mails, provider } = aProviderThat(answers.accepted);
    await queuedSends(3);
    await holdProvider(database.db, "live", "quota");
    const { loop } = aLoop(provider);
    expect(await loop.runOnce()).toBe(0);
    expect(await loop.probe()).toBe(false);
    await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
    expect(await loop.probe()).toBe(true);
    const holds = () => change(database.db, "select mode from provider_state where hold_reason is not null");
    await expect.poll(holds).toEqual([]);
    expect(mails).toHaveLength(1);
    expect(await loop.runOnce()).toBe(2);
    await expect.poll(() => mails.length).toBe(3);
  });

  test("sends of a held account use no pace, and a round that met only them is no reason to rest", async () => {
    await change(database.db, "update provider_state set max_per_second = 1");
    const held = await anAccount(database.db);
    await change(database.db, "update accounts set held_at = now() where id = $1", [held]);
    const parked = await aQueuedSend(database.db, { accountId: held, fairInSeconds: -10 });
    const { loop } = aLoop(aProviderThat(answers.accepted).provider);
    const [going = ""] = await queuedSends(1);
    expect(await loop.runOnce()).toBe(1);
    expect(await queueRow(database.db, parked)).toMatchObject({ state: "parked" });
    expect(await loop.runOnce()).toBe(1);
    expect(await sendRow(database.db, going)).toMatchObject({ status: "sent" });
  });

  test("a probe that met only a held account's send may be taken again at once", async () => {
    const held = await anAccount(database.db);
    await change(database.db, "update accounts set held_at = now() where id = $1", [held]);
    await aQueuedSend(database.db, { accountId: held, fairInSeconds: -10 });
    await queuedSends(1);
    await holdProvider(database.db, "live", "quota");
    await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
    const { loop } = aLoop(aProviderThat(answers.accepted).provider);
    expect(await loop.probe()).toBe(false);
    expect(await loop.probe()).toBe(true);
    await loop.runOnce();
  });

  test("of 20 sends that meet the daily quota none fails, and all wait at their place", async () => {
    const { provider } = aProviderThat(answers.held);
    const ids = await queuedSends(20);
    const { loop, lines } = aLoop(provider);
    await loop.runOnce();
    expect(await loop.runOnce()).toBe(0);
    for (const id of ids) expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", backoffStep: 0 });
    expect(lines.filter(({ event }) => event === "provider.held")).toHaveLength(1);
  });
});

describe("running", () => {
  test("hands over what comes, without a hint as well", async () => {
    const { loop } = aLoop(aProviderThat(answers.accepted).provider);
    start(loop);
    const [id = ""] = await queuedSends(1);
    await expect.poll(async () => (await sendRow(database.db, id))?.status).toBe("sent");
  });

  test("never has more under way than it has slots", async () => {
    let inside = 0;
    let most = 0;
    const { provider } = aProviderThat(async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
      return answers.accepted;
    });
    await queuedSends(60);
    start(aLoop(provider, { slots: 7 }).loop);
    await expect.poll(queueSize).toBe(0);
    expect(most).toBe(7);
  });

  test("a database that is away is told once, and work goes on when it is back", async () => {
    const { db, away } = aDatabaseThatGoesAway();
    const { loop, lines } = aLoop(aProviderThat(answers.accepted).provider, { db });
    away(true);
    start(loop);
    await expect.poll(() => lines.map(({ event }) => event)).toEqual(["delivery.claim-failed"]);
    const [id = ""] = await queuedSends(1);
    away(false);
    await expect.poll(async () => (await sendRow(database.db, id))?.status, { timeout: 5_000 }).toBe("sent");
    expect(lines.map(({ event }) => event)).toEqual(["delivery.claim-failed", "delivery.attempted"]);
  });

  test("an outcome that cannot be written is kept until it can, even after its lease ran out", async () => {
    const { db, away } = aDatabaseThatGoesAway();
    const { mails, provider } = aProviderThat(() => {
      away(true);
      return answers.accepted;
    });
    const [id = ""] = await queuedSends(1);
    const { loop } = aLoop(provider, { db });
    const round = loop.runOnce();
    await expect.poll(() => mails.length).toBe(1);
    await change(database.db, "update send_queue set state = 'in-doubt', due_at = attempted_at where id = $1", [id]);
    away(false);
    await round;
    expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
    expect(mails).toHaveLength(1);
  });
});

describe("stopping", () => {
  test("waits for what is being handed over and claims nothing more", async () => {
    const gate = Promise.withResolvers<SubmitResult>();
    const { mails, provider } = aProviderThat(() => gate.promise);
    const [first = "", second = ""] = await queuedSends(2);
    const { loop } = aLoop(provider, { slots: 1 });
    loop.start();
    await expect.poll(() => mails.length).toBe(1);
    const stopping = loop.stop();
    gate.resolve(answers.accepted);
    await stopping;
    expect(await sendRow(database.db, first)).toMatchObject({ status: "sent" });
    expect(await queueRow(database.db, second)).toMatchObject({ state: "ready", attempt: 0 });
  });

  test("gives back at once what was claimed and not begun", async () => {
    const { mails, provider } = aProviderThat(answers.accepted);
    const [id = ""] = await queuedSends(1);
    const { db, claimsReached, letClaimsPass } = aDatabaseThatClaimsSlowly();
    const { loop } = aLoop(provider, { db });
    loop.start();
    await claimsReached;
    const stopping = loop.stop();
    letClaimsPass();
    await stopping;
    expect(mails).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 1 });
    expect(await attemptsOf(database.db, id)).toEqual(["1 returned"]);
  });

  test("does not wait for a turn that lies ahead", async () => {
    await change(database.db, "select set_pace('live', clock_timestamp() + interval '20 s')");
    await queuedSends(1);
    const { loop } = aLoop(aProviderThat(answers.accepted).provider);
    loop.start();
    const began = performance.now();
    await loop.stop();
    expect(performance.now() - began).toBeLessThan(500);
    expect(await queueSize()).toBe(1);
  });
});

test("stopping during a probe waits until it is given back", async () => {
  const { mails, provider } = aProviderThat(answers.accepted);
  const [id = ""] = await queuedSends(1);
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
  const { db, claimsReached, letClaimsPass } = aDatabaseThatClaimsSlowly();
  const { loop } = aLoop(provider, { db });
  const probing = loop.probe();
  await claimsReached;
  const stopping = loop.stop();
  letClaimsPass();
  await Promise.all([probing, stopping]);
  expect(mails).toEqual([]);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
});

describe("with the simulator", () => {
  test("sends go out once each, with our tags, and the record names them", async () => {
    const provider = sesProvider();
    await provider.createConfigurationSet("postern-AA");
    const { accepted: before } = await simulator.control("GET", "health");
    const ids = await queuedSends(30, "shop.test");
    const { loop } = aLoop(provider);
    start(loop);
    await expect.poll(queueSize, { timeout: 10_000 }).toBe(0);
    expect((await simulator.control("GET", "health")).accepted - before).toBe(30);
    for (const id of ids) {
      const { records } = await simulator.control("GET", `ledger?tag=send_id:${id}`);
      expect(records).toHaveLength(1);
      expect((await sendRow(database.db, id))?.providerMessageId).toBe(records[0].messageId);
    }
  });

  test("three workers keep to a MaxSendRate of 14 by themselves: SES throttles none, and 12 a second go", async () => {
    await change(database.db, "update provider_state set max_per_second = 14 where mode = 'live'");
    await simulator.control("PATCH", "account", { maxSendRate: 14 });
    onTestFinished(async () => void (await simulator.control("PATCH", "account", { maxSendRate: 10_000 })));
    await sesProvider()
      .createConfigurationSet("postern-AA")
      .catch(() => undefined);
    const ids = await queuedSends(40, "shop.test");
    const loops = Array.from({ length: 3 }, () => aLoop(sesProvider(), { db: openTestDatabaseHere() }));
    for (const { loop } of loops) start(loop);
    await expect.poll(queueSize, { timeout: 10_000 }).toBe(0);
    const outcomes = loops.flatMap(({ lines }) => lines).filter(({ event }) => event === "delivery.attempted");
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(40).fill("accepted"));
    const times = (
      await change(
        database.db,
        "select extract(epoch from sent_at)::float8 as at from sends where id = any($1) order by 1",
        [ids],
      )
    ).map(({ at }) => Number(at));
    const rate = 39 / ((times.at(-1) ?? 0) - (times[0] ?? 0));
    // The pace itself is exact; these times are those of the settlements, which a busy machine brings late.
    expect(rate).toBeGreaterThan(11.5);
    expect(rate).toBeLessThan(13.2);
  });
});

interface LoopOptions {
  db?: Database;
  slots?: number;
}

function aLoop(provider: EmailProvider, { db = database.db, slots = 100 }: LoopOptions = {}) {
  const { deps, lines } = deliveryTestDeps(db, provider);
  return { loop: new DeliveryLoop({ db, mode: "live", slots, deps }), lines };
}

function start(loop: DeliveryLoop): void {
  loop.start();
  onTestFinished(() => loop.stop());
}

async function queuedSends(count: number, domain?: string): Promise<string[]> {
  const accountId = await anAccount(database.db);
  await change(database.db, "delete from domains where domain_name = $1", [domain ?? ""]);
  const fromDomain = await aVerifiedDomain(database.db, accountId, domain);
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    ids.push(await aQueuedSend(database.db, { accountId, fromDomain, fairInSeconds: made / 1000 }));
  }
  return ids;
}

async function queueSize(): Promise<number> {
  const rows = await change(database.db, "select id from send_queue");
  return rows.length;
}

function openTestDatabaseHere(): Database {
  const db = openTestDatabase(database.url);
  onTestFinished(() => db.close());
  return db;
}

function aDatabaseThatGoesAway() {
  let isAway = false;
  const db: Database = {
    ...database.db,
    query: (statement) =>
      isAway ? Promise.reject(new AppError("UNAVAILABLE", "Away.")) : database.db.query(statement),
  };
  return {
    db,
    away: (value: boolean) => {
      isAway = value;
    },
  };
}

/** Its claims are committed, but their answers come when the test says so. */
function aDatabaseThatClaimsSlowly() {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const db: Database = {
    ...database.db,
    query: async <Row>(statement: Parameters<Database["query"]>[0]) => {
      const rows = await database.db.query<Row>(statement);
      if (statement.name === "claim-sends") {
        reached.resolve();
        await gate.promise;
      }
      return rows;
    },
  };
  return { db, claimsReached: reached.promise, letClaimsPass: () => gate.resolve() };
}
