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

test("while the operator holds mail nothing is reserved, claimed or probed, and all of it goes on after", async () => {
  const id = await aReadySend();
  await holdByOperator(database.db, "looking into it");
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set probe_at = now() - interval '1 hour'");
  expect(await takeProbe(database.db, "live")).toBe(false);
  expect(await wouldGo()).toEqual({ isReserved: false, claimed: [], probed: [] });
  await releaseProvider(database.db, "live");
  expect(await wouldGo()).toEqual({ isReserved: false, claimed: [], probed: [] });
  await releaseByOperator(database.db);
  expect(await wouldGo()).toMatchObject({ isReserved: true, claimed: [id] });
  expect(await queueRow(database.db, id)).toMatchObject({ state: "leased" });
});

test("a hold made again is as old as before and has the new reason; released twice it says so", async () => {
  await holdByOperator(database.db, "one");
  await change(database.db, "update provider_state set operator_held_since = now() - interval '90 seconds'");
  await holdByOperator(database.db, "two");
  expect(await change(database.db, "select distinct operator_note from provider_state")).toEqual([
    { operator_note: "two" },
  ]);
  expect(await releaseByOperator(database.db)).toEqual({ heldSeconds: expect.closeTo(90, 0) });
  expect(await releaseByOperator(database.db)).toBeUndefined();
});

/** Seconds ago that each began, and which is released first. The clock stands still as long as either holds. */
const overlaps = [
  ["the provider's first, the operator's in it", 100, 40, ["provider", "operator"], 100],
  ["the provider's first, released last", 100, 40, ["operator", "provider"], 100],
  ["the operator's first, the provider's in it", 40, 100, ["operator", "provider"], 100],
  ["the operator's first, released last", 40, 100, ["provider", "operator"], 100],
] as const;

test.for(overlaps)("patience is not counted twice: %s", async ([, providerAgo, operatorAgo, order, lag]) => {
  await holdProvider(database.db, "live", "paused");
  await holdByOperator(database.db, undefined);
  await change(
    database.db,
    `update provider_state
     set held_since = now() - make_interval(secs => $1), operator_held_since = now() - make_interval(secs => $2)
     where mode = 'live'`,
    [providerAgo, operatorAgo],
  );
  expect(await patienceLag()).toBeCloseTo(lag, 0);
  for (const who of order) {
    await (who === "provider" ? releaseProvider(database.db, "live") : releaseByOperator(database.db));
    expect(await patienceLag()).toBeCloseTo(lag, 0);
  }
});

async function wouldGo() {
  const claim = { mode: "live", maxSends: 9, maxRecipients: 9, fromFairAt: "-infinity" } as const;
  const { grant } = await reserve(database.db, { mode: "live", wanted: 1, scanStart: "-infinity" });
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

async function patienceLag(): Promise<number> {
  const [row] = await change(database.db, "select extract(epoch from now() - retry_clock('live'))::float8 as seconds");
  return Number(row?.seconds);
}
