import { expect, test } from "vitest";
import { answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aDatabaseThatDelaysClaims, aDeliveryLoop, queuedSends, queueSize } from "../../test/delivery-loop-fixture.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { SubmitResult } from "../provider/email-provider.ts";
import { holdProvider } from "../queue/provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a stopping loop waits for the submissions in progress and claims nothing more", async () => {
  const answer = Promise.withResolvers<SubmitResult>();
  const { mails, provider } = aProviderThat(() => answer.promise);
  const [first = "", second = ""] = await queuedSends(database.db, 2);
  const { loop } = aDeliveryLoop(database.db, provider, { slots: 1 });
  loop.start();
  await expect.poll(() => mails.length).toBe(1);
  const stopping = loop.stop();
  answer.resolve(answers.accepted);
  await stopping;
  expect(await sendRow(database.db, first)).toMatchObject({ status: "sent" });
  expect(await queueRow(database.db, second)).toMatchObject({ state: "ready", attempt: 0 });
});

test("a stopping loop gives back claimed sends that it has not submitted", async () => {
  const { mails, provider } = aProviderThat(answers.accepted);
  const [id = ""] = await queuedSends(database.db, 1);
  const { db, claimCommitted, releaseClaims } = aDatabaseThatDelaysClaims(database.db);
  const { loop } = aDeliveryLoop(db, provider);
  loop.start();
  await claimCommitted;
  const stopping = loop.stop();
  releaseClaims();
  await stopping;
  expect(mails).toEqual([]);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 1 });
  expect(await attemptsOf(database.db, id)).toEqual(["1 returned"]);
});

test("a stopping loop does not wait for a grant of the pace", async () => {
  await change(database.db, "select set_pace('live', clock_timestamp() + interval '20 s')");
  await queuedSends(database.db, 1);
  const { loop } = aDeliveryLoop(database.db, aProviderThat(answers.accepted).provider);
  loop.start();
  const startedAt = performance.now();
  await loop.stop();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(await queueSize(database.db)).toBe(1);
});

test("a loop that stops during a probe waits until the claimed send is given back", async () => {
  const { mails, provider } = aProviderThat(answers.accepted);
  const [id = ""] = await queuedSends(database.db, 1);
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
  const { db, claimCommitted, releaseClaims } = aDatabaseThatDelaysClaims(database.db);
  const { loop } = aDeliveryLoop(db, provider);
  const probing = loop.probe();
  await claimCommitted;
  const stopping = loop.stop();
  releaseClaims();
  await Promise.all([probing, stopping]);
  expect(mails).toEqual([]);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
});
