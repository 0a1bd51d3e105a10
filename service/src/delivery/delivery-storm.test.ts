import { expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { SubmitResult } from "../provider/email-provider.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { DeliveryLoop } from "./delivery-loop.ts";
import { tickQueue } from "./queue-tick.ts";

const database = useTestDatabase();
useEmptyQueue(database);

/**
 * Four workers, an unreliable provider, and evidence that arrives before, after or instead of its answers. The test compares the
 * record with the ledger of the provider.
 */
test("of 300 sends none is lost, and a second mail goes out only for sends that were resent while in doubt", async () => {
  const ids = await queuedSends(300);
  const ledger: { sendId: string; attempt: number; providerMessageId: string }[] = [];
  const { provider } = aProviderThat(async ({ tags }): Promise<SubmitResult> => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    const dice = Math.random();
    if (dice < 0.15) return answers.later;
    if (dice < 0.25) return answers.unknown;
    const providerMessageId = `m-${tags.sendId}-${tags.attempt}`;
    ledger.push({ ...tags, providerMessageId });
    if (dice < 0.35) return answers.unknown;
    return { ...answers.accepted, providerMessageId };
  });

  const workers = Array.from({ length: 4 }, () => {
    const db = openTestDatabase(database.url);
    const { deps, counted, lines } = aDeliveryFixture(db, provider);
    const loop = new DeliveryLoop({ db, mode: "live", slots: 20, maxBytes: 64_000_000, deps });
    loop.start();
    onTestFinished(async () => {
      await loop.stop();
      await db.close();
    });
    const rule = { inDoubtSeconds: 0, inDoubtMaxSeconds: 0.05, inDoubtPolicy: "resend" } as const;
    const tick = async () => {
      if (await tickQueue({ ...deps, db, mode: "live", rule })) loop.wake();
    };
    return { loop, tick, counted, lines };
  });
  let doubledByEvidence = 0;
  const reportSome = async () => {
    const some = ledger.filter(() => Math.random() < 0.1).map((record) => ({ ...record, at: undefined }));
    const confirmations = await confirmSubmissions(database.db, some);
    doubledByEvidence += confirmations.filter(({ isDoubled }) => isDoubled).length;
  };
  await expect
    .poll(
      async () => {
        await change(database.db, "update send_queue set due_at = now() where state = 'waiting'");
        await Promise.all([reportSome(), ...workers.map(({ tick }) => tick())]);
        return (await change(database.db, "select id from send_queue")).length;
      },
      { timeout: 15_000, interval: 20 },
    )
    .toBe(0);
  for (const { loop } of workers) await loop.stop();
  for (let round = 0; round < 2; round++) {
    const confirmations = await confirmSubmissions(
      database.db,
      ledger.map((record) => ({ ...record, at: undefined })),
    );
    doubledByEvidence += confirmations.filter(({ isDoubled }) => isDoubled).length;
  }

  expect(await change(database.db, "select distinct status from sends where id = any($1)", [ids])).toEqual([
    { status: "sent" },
  ]);
  const mailed = new Set(ledger.map(({ sendId }) => sendId));
  expect(mailed.size).toBe(300);
  const counts = await Promise.all(workers.map(({ counted }) => counted("postern_sends_doubled_total")));
  const doubled = counts.reduce((sum, count) => sum + count, doubledByEvidence);
  expect(doubled).toBe(ledger.length - mailed.size);
  expect(doubled).toBeGreaterThan(0);
  expect(workers.flatMap(({ lines }) => lines).filter(({ level }) => level === "error")).toEqual(
    expect.not.arrayContaining([expect.objectContaining({ event: "delivery.settle-failed" })]),
  );
  const resent = await Promise.all(workers.map(({ counted }) => counted("postern_in_doubt_resolved_total")));
  expect(ledger.length - mailed.size).toBeLessThanOrEqual(resent.reduce((sum, count) => sum + count, 0));
});

async function queuedSends(count: number): Promise<string[]> {
  const accountId = await anAccount(database.db);
  const fromDomain = await aVerifiedDomain(database.db, accountId);
  return Promise.all(Array.from({ length: count }, () => aQueuedSend(database.db, { accountId, fromDomain })));
}
