import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { claimSends } from "./claim-sends.ts";
import { holdByOperator, releaseByOperator } from "./operator-hold.ts";
import { reserve } from "./pacing.ts";
import { holdProvider, releaseProvider, takeProbe } from "./provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("while the operator holds mail no worker reserves, claims or probes, and the release lets them continue", async () => {
  const id = await aReadySend();
  await holdByOperator(database.db, "investigating");
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set probe_at = now() - interval '1 hour'");
  expect(await takeProbe(database.db, "live")).toBe(false);
  expect(await reserveAndClaim()).toEqual({ isReserved: false, claimed: [], probed: [] });
  await releaseProvider(database.db, "live");
  expect(await reserveAndClaim()).toEqual({ isReserved: false, claimed: [], probed: [] });
  await releaseByOperator(database.db);
  expect(await reserveAndClaim()).toMatchObject({ isReserved: true, claimed: [id] });
  expect(await queueRow(database.db, id)).toMatchObject({ state: "leased" });
});

test("a second hold keeps the start of the first and replaces the note; a second release returns undefined", async () => {
  await holdByOperator(database.db, "one");
  await change(database.db, "update provider_state set operator_held_since = now() - interval '90 seconds'");
  await holdByOperator(database.db, "two");
  expect(await change(database.db, "select distinct operator_note from provider_state")).toEqual([
    { operator_note: "two" },
  ]);
  expect(await releaseByOperator(database.db)).toEqual({ heldSeconds: expect.closeTo(90, 0) });
  expect(await releaseByOperator(database.db)).toBeUndefined();
});

/** How many seconds ago each hold started, the order of the releases, and how far the retry clock then lags behind. */
const overlaps = [
  ["the provider hold starts and ends first", 100, 40, ["provider", "operator"], 100],
  ["the provider hold starts first and ends last", 100, 40, ["operator", "provider"], 100],
  ["the operator hold starts and ends first", 40, 100, ["operator", "provider"], 100],
  ["the operator hold starts first and ends last", 40, 100, ["provider", "operator"], 100],
] as const;

test.for(overlaps)(
  "the retry clock stops once while two holds overlap: %s",
  async ([, providerAgo, operatorAgo, order, lag]) => {
    await holdProvider(database.db, "live", "paused");
    await holdByOperator(database.db, undefined);
    await change(
      database.db,
      `update provider_state
     set held_since = now() - make_interval(secs => $1), operator_held_since = now() - make_interval(secs => $2)
     where mode = 'live'`,
      [providerAgo, operatorAgo],
    );
    expect(await retryClockLag()).toBeCloseTo(lag, 0);
    for (const hold of order) {
      await (hold === "provider" ? releaseProvider(database.db, "live") : releaseByOperator(database.db));
      expect(await retryClockLag()).toBeCloseTo(lag, 0);
    }
  },
);

async function reserveAndClaim() {
  const claim = { mode: "live", maxSends: 9, maxRecipients: 9, fromFairAt: "-infinity" } as const;
  const { grant } = await reserve(database.db, { mode: "live", wanted: 1, scanFrom: "-infinity" });
  const claimed = await claimSends(database.db, { ...claim, isProbe: false });
  const probed = await claimSends(database.db, { ...claim, isProbe: true });
  return {
    isReserved: grant !== undefined,
    claimed: claimed.sends.map(({ id }) => id),
    probed: probed.sends.map(({ id }) => id),
  };
}

async function aReadySend(): Promise<string> {
  const accountId = await anAccount(database.db);
  return aQueuedSend(database.db, { accountId, fromDomain: await aVerifiedDomain(database.db, accountId) });
}

async function retryClockLag(): Promise<number> {
  const [row] = await change(database.db, "select extract(epoch from now() - retry_clock('live'))::float8 as seconds");
  return Number(row?.seconds);
}
