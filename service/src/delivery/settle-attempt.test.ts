import { describe, expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aClaimedSend, aQueuedSend, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { SubmitResult } from "../provider/email-provider.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { holdProvider } from "../queue/provider-hold.ts";
import { giveBack } from "../queue/settle-sends.ts";
import { settleAttempt } from "./settle-attempt.ts";
import { submitSend } from "./submit-send.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("the settlement of an attempt", () => {
  const cases = [
    ["accepted", {}, { status: "sent", providerMessageId: "m-1" }, undefined],
    ["refused", {}, { status: "failed", errorCode: "PROVIDER_REJECTED" }, undefined],
    ["later", {}, { status: "queued" }, { state: "waiting", backoffStep: 1, isRetrying: true }],
    ["throttled", {}, { status: "queued" }, { state: "waiting", backoffStep: 0, isRetrying: false }],
    ["held", {}, { status: "queued" }, { state: "ready", backoffStep: 0, isRetrying: false }],
    ["unknown", {}, { status: "queued" }, { state: "in-doubt" }],
    ["accepted", { recipients: [] }, { status: "suppressed" }, undefined],
  ] as const;

  test.for(cases)(
    "follows the answer of the provider and the remaining recipients: %s %o",
    async ([answer, changes, record, queued]) => {
      const send = await aClaimedSend(database.db);
      await deliverAndSettle(answers[answer], { ...send, ...changes } as ClaimedSend);
      expect(await sendRow(database.db, send.id)).toMatchObject(record);
      const row = await queueRow(database.db, send.id);
      if (queued === undefined) expect(row).toBeUndefined();
      else expect(row).toMatchObject(queued);
    },
  );

  test("counts a send that reached a final status, and none that is retried", async () => {
    const { counted } = await deliverAndSettle(answers.accepted);
    expect(await counted("postern_sends_settled_total", { status: "sent" })).toBe(1);
    expect(await counted("postern_sends_doubled_total")).toBe(0);
    const later = await deliverAndSettle(answers.later);
    expect(await later.counted("postern_sends_settled_total")).toBe(0);
  });

  test("counts and logs a second mail", async () => {
    const first = await aClaimedSend(database.db);
    await giveBack(database.db, [{ ...attemptOf(first), outcome: "unknown" }]);
    const second = await claimAgain(database.db, first.id);
    await deliverAndSettle(answers.accepted, second);
    const { counted, lines } = await deliverAndSettle({ ...answers.accepted, providerMessageId: "m-2" }, first);
    expect(await counted("postern_sends_doubled_total")).toBe(1);
    expect(await counted("postern_sends_settled_total")).toBe(0);
    expect(lines.at(-1)).toMatchObject({ event: "delivery.doubled", send_id: first.id, attempt: 1 });
    expect(await attemptsOf(database.db, first.id)).toEqual(["1 accepted", "2 accepted"]);
  });

  test("stores the message of the provider with the attempt", async () => {
    const { send } = await deliverAndSettle(answers.unknown);
    expect(
      await change(database.db, "select detail, request_id from send_attempts where send_id = $1", [send.id]),
    ).toEqual([{ detail: "A reset to ann@example.test.", request_id: null }]);
  });
});

describe("the effect of an answer on other sends", () => {
  test("a hold stops claims and is logged once", async () => {
    const { lines } = await deliverAndSettle(answers.held);
    expect(await holdReason()).toBe("quota");
    expect(lines.filter(({ event }) => event === "provider.held")).toMatchObject([{ mode: "live", reason: "quota" }]);
    const again = await deliverAndSettle(answers.held);
    expect(again.lines.filter(({ event }) => event === "provider.held")).toEqual([]);
  });

  test("a throttled answer slows the pace", async () => {
    await deliverAndSettle(answers.throttled);
    const [row] = await change(
      database.db,
      "select lock_pace('live') > clock_timestamp() + interval '0.5 s' as is_slow",
    );
    expect(row).toEqual({ is_slow: true });
  });

  test("a refused domain is due for a check immediately", async () => {
    const send = await aClaimedSend(database.db);
    await deliverAndSettle({ ...answers.refused, unverified: [`orders@${send.fromDomain}`] }, send);
    const [row] = await change(
      database.db,
      "select is_dkim_verified, next_check_at <= now() as is_due from domains where domain_name = $1",
      [send.fromDomain],
    );
    expect(row).toEqual({ is_dkim_verified: false, is_due: true });
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "waiting", backoffStep: 1 });
  });
});

describe("a probe", () => {
  test.for(["accepted", "refused"] as const)("that is answered %s releases the provider", async (answer) => {
    await holdProvider(database.db, "live", "paused");
    const { lines } = await deliverAndSettle(answers[answer], undefined, { isProbe: true });
    expect(await holdReason()).toBeNull();
    expect(lines.at(-1)).toMatchObject({ event: "provider.released", held_seconds: 0 });
  });

  test.for(["held", "unknown", "later", "throttled"] as const)(
    "that is answered %s leaves the provider held",
    async (answer) => {
      await holdProvider(database.db, "live", "quota");
      await deliverAndSettle(answers[answer], undefined, { isProbe: true });
      expect(await holdReason()).toBe("quota");
    },
  );

  test("that meets the hold again goes behind the other sends, so that the next probe is another send", async () => {
    await holdProvider(database.db, "live", "operator");
    const send = await aClaimedSend(database.db);
    await change(database.db, "update send_queue set fair_at = now() - interval '1 hour'");
    await deliverAndSettle({ ...answers.held, hold: "operator" }, send, { isProbe: true });
    const other = await aQueuedSend(database.db, { accountId: send.accountId, fairInSeconds: -1 });
    const [first] = await change(
      database.db,
      "select id from send_queue where state = 'ready' order by fair_at limit 1",
    );
    expect(first).toEqual({ id: other });
  });

  test("that was not submitted leaves the provider held, and the next probe is due immediately", async () => {
    await holdProvider(database.db, "live", "quota");
    const send = { ...(await aClaimedSend(database.db)), domain: "unverified" as const };
    await deliverAndSettle(answers.accepted, send, { isProbe: true });
    expect(await holdReason()).toBe("quota");
    expect(
      await change(database.db, "select probe_at <= now() as is_due from provider_state where mode = 'live'"),
    ).toEqual([{ is_due: true }]);
  });

  test("is needed for a release: an answer to a send claimed before the hold does not release the provider", async () => {
    await holdProvider(database.db, "live", "quota");
    await deliverAndSettle(answers.accepted);
    expect(await holdReason()).toBe("quota");
  });
});

async function deliverAndSettle(answer: SubmitResult, given?: ClaimedSend, { isProbe = false } = {}) {
  const { deps, lines, counted } = aDeliveryFixture(database.db, aProviderThat(answer).provider);
  const send = given ?? (await aClaimedSend(database.db));
  await settleAttempt(deps, send, await submitSend(deps, send, performance.now()), { isProbe });
  return { send, lines, counted };
}

async function holdReason() {
  const [row] = await change(database.db, "select hold_reason from provider_state where mode = 'live'");
  return row?.hold_reason;
}
