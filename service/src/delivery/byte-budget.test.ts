import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aDeliveryLoop, queueSize, startLoop } from "../../test/delivery-loop-fixture.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { claimSends } from "../queue/claim-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const mebibyte = 1024 * 1024;

test("the content in flight stays within the budget, and all sends go out", async () => {
  await queueMails(Array(20).fill(mebibyte));
  const { provider, most } = aSlowProvider();
  startLoop(aDeliveryLoop(database.db, provider, { maxBytes: 4 * mebibyte }).loop);
  await expect.poll(() => queueSize(database.db), { timeout: 15_000 }).toBe(0);
  expect(most().bytes).toBeGreaterThan(2 * mebibyte);
  expect(most().bytes).toBeLessThanOrEqual(4 * mebibyte);
});

test("a mail above the budget is submitted alone", async () => {
  await queueMails([1_000, 1_000, 2 * mebibyte, 1_000, 1_000]);
  const { provider, most, besides } = aSlowProvider();
  startLoop(aDeliveryLoop(database.db, provider, { maxBytes: mebibyte }).loop);
  await expect.poll(() => queueSize(database.db), { timeout: 15_000 }).toBe(0);
  expect(most().bytes).toBe(2 * mebibyte);
  expect(besides(2 * mebibyte)).toBe(0);
});

test("small mails use all slots", async () => {
  await queueMails(Array(30).fill(2_000));
  const { provider, most } = aSlowProvider();
  startLoop(aDeliveryLoop(database.db, provider, { slots: 30, maxBytes: mebibyte }).loop);
  await expect.poll(() => queueSize(database.db), { timeout: 15_000 }).toBe(0);
  expect(most().mails).toBe(30);
});

test("a claim leaves the sends that do not fit, and takes a larger first one only when it may", async () => {
  const [first = "", second = ""] = await queueMails([3_000, 3_000, 3_000, 3_000]);
  const claim = (maxBytes: number, isFirstOfAnySize: boolean) =>
    claimSends(database.db, {
      mode: "live",
      maxSends: 100,
      maxRecipients: 100,
      maxBytes,
      isFirstOfAnySize,
      fromFairAt: "-infinity",
      isProbe: false,
    });
  expect((await claim(2_000, false)).sends).toEqual([]);
  expect((await claim(2_000, true)).sends.map(({ id }) => id)).toEqual([first]);
  const { sends } = await claim(7_000, false);
  expect(sends).toHaveLength(2);
  expect(sends[0]).toMatchObject({ id: second, sealed: expect.any(Buffer) });
});

/** Texts of these sizes, in queue order. */
async function queueMails(sizes: number[]): Promise<string[]> {
  const accountId = await anAccount(database.db);
  const fromDomain = await aVerifiedDomain(database.db, accountId);
  const ids: string[] = [];
  for (const [position, size] of sizes.entries()) {
    const text = "x".repeat(size);
    ids.push(await aQueuedSend(database.db, { accountId, fromDomain, text, fairInSeconds: position / 1000 - 1 }));
  }
  return ids;
}

/** Records how much is in flight at the same time. */
function aSlowProvider() {
  let inFlight: number[] = [];
  const moments: number[][] = [];
  const { provider } = aProviderThat(async ({ text = "" }) => {
    inFlight = [...inFlight, text.length];
    moments.push(inFlight);
    await new Promise((resolve) => setTimeout(resolve, 200));
    inFlight = inFlight.toSpliced(inFlight.indexOf(text.length), 1);
    return answers.accepted;
  });
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
  return {
    provider,
    most: () => ({
      bytes: Math.max(...moments.map(sum)),
      mails: Math.max(...moments.map((sizes) => sizes.length)),
    }),
    /** The most other mails in flight beside one of this size. */
    besides: (size: number) =>
      Math.max(...moments.filter((sizes) => sizes.includes(size)).map((sizes) => sizes.length - 1)),
  };
}
