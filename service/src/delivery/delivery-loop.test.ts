import { describe, expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { answers, aProviderThat } from "../../test/delivery-fixture.ts";
import {
  aDeliveryDatabaseWithOutages,
  aDeliveryLoop,
  queuedSends,
  queueSize,
  startLoop,
} from "../../test/delivery-loop-fixture.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useSesProvider } from "../../test/use-ses-provider.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database } from "../db/database.ts";
import { holdProvider } from "../queue/provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database);
const { simulator, sesProvider } = useSesProvider();

describe("with hints", () => {
  test("the loop looks at the queue once for a single send, and not again when it is submitted", async () => {
    let looks = 0;
    const db: Database = {
      ...database.db,
      query: (statement) => {
        if (statement.name === "reserve-pace") looks += 1;
        return database.db.query(statement);
      },
    };
    const { loop } = aDeliveryLoop(db, aProviderThat(answers.accepted).provider, { hasHints: true });
    const begunAt = performance.now();
    const isSent = async (id = "") => (await sendRow(database.db, id))?.status === "sent";
    const [first] = await queuedSends(database.db, 1);
    startLoop(loop);
    await expect.poll(() => isSent(first)).toBe(true);
    const [second] = await queuedSends(database.db, 1);
    loop.wake();
    await expect.poll(() => isSent(second)).toBe(true);
    // It also looks once a second.
    expect(looks).toBeLessThanOrEqual(2 + Math.floor((performance.now() - begunAt) / 1_000));
  });
});

describe("one round", () => {
  test("claims as many sends as there are slots and settles all of them", async () => {
    const { mails, provider } = aProviderThat(answers.accepted);
    const ids = await queuedSends(database.db, 5);
    const { loop } = aDeliveryLoop(database.db, provider, { slots: 3 });
    expect(await loop.runOnce()).toBe(3);
    expect(await loop.runOnce()).toBe(2);
    expect(await loop.runOnce()).toBe(0);
    expect(mails.map(({ tags }) => tags.sendId).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await sendRow(database.db, id)).toMatchObject({ status: "sent" });
  });

  test("returns the pace of sends that it does not submit", async () => {
    await change(database.db, "update provider_state set max_per_second = 1");
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), fromDomain: "gone.test" });
    const { loop } = aDeliveryLoop(database.db, aProviderThat(answers.accepted).provider);
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
    const { loop } = aDeliveryLoop(database.db, aProviderThat(answers.accepted).provider);
    await loop.runOnce();
    const [row] = await change(
      database.db,
      "select extract(epoch from lock_pace('live') - clock_timestamp())::float8 as seconds_ahead",
    );
    expect(row?.seconds_ahead).toBeGreaterThan(0.4);
  });

  test("claims nothing while the provider is held; an accepted probe releases the other sends", async () => {
    const { mails, provider } = aProviderThat(answers.accepted);
    await queuedSends(database.db, 3);
    await holdProvider(database.db, "live", "quota");
    const { loop } = aDeliveryLoop(database.db, provider);
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

  test("uses no pace for sends of a held account, and counts parked sends, so that the loop does not sleep", async () => {
    await change(database.db, "update provider_state set max_per_second = 1");
    const held = await anAccount(database.db);
    await change(database.db, "update accounts set held_at = now() where id = $1", [held]);
    const parked = await aQueuedSend(database.db, { accountId: held, fairInSeconds: -10 });
    const { loop } = aDeliveryLoop(database.db, aProviderThat(answers.accepted).provider);
    const [other = ""] = await queuedSends(database.db, 1);
    expect(await loop.runOnce()).toBe(1);
    expect(await queueRow(database.db, parked)).toMatchObject({ state: "parked" });
    expect(await loop.runOnce()).toBe(1);
    expect(await sendRow(database.db, other)).toMatchObject({ status: "sent" });
  });

  test("may probe again immediately after a probe that only parked a send", async () => {
    const held = await anAccount(database.db);
    await change(database.db, "update accounts set held_at = now() where id = $1", [held]);
    await aQueuedSend(database.db, { accountId: held, fairInSeconds: -10 });
    await queuedSends(database.db, 1);
    await holdProvider(database.db, "live", "quota");
    await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
    const { loop } = aDeliveryLoop(database.db, aProviderThat(answers.accepted).provider);
    expect(await loop.probe()).toBe(false);
    expect(await loop.probe()).toBe(true);
    await loop.runOnce();
  });

  test("fails none of 20 sends that exceed the daily quota, and gives all of them back", async () => {
    const { provider } = aProviderThat(answers.held);
    const ids = await queuedSends(database.db, 20);
    const { loop, lines } = aDeliveryLoop(database.db, provider);
    await loop.runOnce();
    expect(await loop.runOnce()).toBe(0);
    for (const id of ids) expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", backoffStep: 0 });
    expect(lines.filter(({ event }) => event === "provider.held")).toHaveLength(1);
  });
});

describe("a running loop", () => {
  test("submits new sends even without a notification", async () => {
    const { loop } = aDeliveryLoop(database.db, aProviderThat(answers.accepted).provider);
    startLoop(loop);
    const [id = ""] = await queuedSends(database.db, 1);
    await expect.poll(async () => (await sendRow(database.db, id))?.status).toBe("sent");
  });

  test("never submits more sends at the same time than it has slots", async () => {
    let submitting = 0;
    let most = 0;
    const { provider } = aProviderThat(async () => {
      most = Math.max(most, ++submitting);
      await new Promise((resolve) => setTimeout(resolve, 5));
      submitting--;
      return answers.accepted;
    });
    await queuedSends(database.db, 60);
    startLoop(aDeliveryLoop(database.db, provider, { slots: 7 }).loop);
    await expect.poll(() => queueSize(database.db)).toBe(0);
    expect(most).toBe(7);
  });

  test("logs an outage of the database once and continues after it", async () => {
    const { db, setDown } = aDeliveryDatabaseWithOutages(database.db);
    const { loop, lines } = aDeliveryLoop(db, aProviderThat(answers.accepted).provider);
    setDown(true);
    startLoop(loop);
    await expect.poll(() => lines.map(({ event }) => event)).toEqual(["delivery.claim-failed"]);
    const [id = ""] = await queuedSends(database.db, 1);
    setDown(false);
    await expect.poll(async () => (await sendRow(database.db, id))?.status, { timeout: 5_000 }).toBe("sent");
    expect(lines.map(({ event }) => event)).toEqual(["delivery.claim-failed", "delivery.attempted"]);
  });

  test("keeps an outcome that it cannot store until it can, even after the lease has expired", async () => {
    const { db, setDown } = aDeliveryDatabaseWithOutages(database.db);
    const { mails, provider } = aProviderThat(() => {
      setDown(true);
      return answers.accepted;
    });
    const [id = ""] = await queuedSends(database.db, 1);
    const { loop } = aDeliveryLoop(db, provider);
    const round = loop.runOnce();
    await expect.poll(() => mails.length).toBe(1);
    await change(database.db, "update send_queue set state = 'in-doubt', due_at = attempted_at where id = $1", [id]);
    setDown(false);
    await round;
    expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
    expect(mails).toHaveLength(1);
  });
});

describe("with the SES simulator", () => {
  test("SES gets each send once, with its tags, and the record has the message id of SES", async () => {
    const provider = sesProvider();
    await provider.createConfigurationSet("postern-AA");
    const { accepted: before } = await simulator.control("GET", "health");
    const ids = await queuedSends(database.db, 30, "shop.test");
    const { loop } = aDeliveryLoop(database.db, provider);
    startLoop(loop);
    await expect.poll(() => queueSize(database.db), { timeout: 10_000 }).toBe(0);
    expect((await simulator.control("GET", "health")).accepted - before).toBe(30);
    for (const id of ids) {
      const { records } = await simulator.control("GET", `ledger?tag=send_id:${id}`);
      expect(records).toHaveLength(1);
      expect((await sendRow(database.db, id))?.providerMessageId).toBe(records[0].messageId);
    }
  });

  test("three workers submit 12 sends a second at a MaxSendRate of 14, and SES throttles none of them", async () => {
    await change(database.db, "update provider_state set max_per_second = 14 where mode = 'live'");
    await simulator.control("PATCH", "account", { maxSendRate: 14 });
    onTestFinished(async () => void (await simulator.control("PATCH", "account", { maxSendRate: 10_000 })));
    await sesProvider()
      .createConfigurationSet("postern-AA")
      .catch(() => undefined);
    const ids = await queuedSends(database.db, 40, "shop.test");
    const loops = Array.from({ length: 3 }, () => aDeliveryLoop(aSecondConnection(), sesProvider()));
    for (const { loop } of loops) startLoop(loop);
    await expect.poll(() => queueSize(database.db), { timeout: 10_000 }).toBe(0);
    const attempts = loops.flatMap(({ lines }) => lines).filter(({ event }) => event === "delivery.attempted");
    expect(attempts.map(({ outcome }) => outcome)).toEqual(Array(40).fill("accepted"));
    const times = (
      await change(
        database.db,
        "select extract(epoch from sent_at)::float8 as at from sends where id = any($1) order by 1",
        [ids],
      )
    ).map(({ at }) => Number(at));
    const rate = 39 / ((times.at(-1) ?? 0) - (times[0] ?? 0));
    // The pace itself is exact (pacing.test.ts); these are the times of the settlements, which a busy machine delays.
    expect(rate).toBeGreaterThan(6);
    expect(rate).toBeLessThan(18);
  });
});

function aSecondConnection(): Database {
  const db = openTestDatabase(database.url);
  onTestFinished(() => db.close());
  return db;
}
