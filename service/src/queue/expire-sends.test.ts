import { expect, test } from "vitest";
import { anIncomingMove, anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { aClaimedSend, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { sweepOlderSends } from "../in-doubt/failover-sweep.ts";
import { resendInDoubt } from "../in-doubt/resolve-in-doubt.ts";
import type { ClaimedSend } from "./claim-sends.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { expireSends } from "./expire-sends.ts";
import { retryFailed } from "./retry-failed.ts";
import { giveBack, markFailed, markInDoubt } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const [past, soon] = ["-1 second", "1 hour"];

test.each(["ready", "waiting", "parked"])(
  "a %s send ends as failed with EXPIRED when its time is over",
  async (state) => {
    const send = await aSendThat(past);
    await setState(send.id, state);
    expect(await expireSends(database.db, "live")).toBe(1);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "failed", errorCode: "EXPIRED" });
  },
);

test.for(["held", "incoming"] as const)(
  "a send of an account whose move is %s stays queued until it ends",
  async (move) => {
    const { id, accountId } = await aSendThat(past);
    await setState(id, "parked");
    if (move === "incoming") await anIncomingMove(database.db, accountId, "copying");
    else await anOutgoingMove(database.db, accountId, move);
    expect(await expireSends(database.db, "live")).toBe(0);
    await noMove(database.db, accountId);
    expect(await expireSends(database.db, "live")).toBe(1);
  },
);

test("sends that expire later, in the other mode or never stay queued", async () => {
  const later = await aSendThat(soon);
  await setState(later.id, "ready");
  const never = await aClaimedSend(database.db);
  await setState(never.id, "ready");
  expect(await expireSends(database.db, "live")).toBe(0);
  const other = await aSendThat(past);
  await setState(other.id, "ready");
  expect(await expireSends(database.db, "test")).toBe(0);
});

test.each(["leased", "in-doubt"])("a send that is %s stays: SES may have it", async (state) => {
  const send = await aSendThat(past);
  await setState(send.id, state);
  expect(await expireSends(database.db, "live")).toBe(0);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state });
});

test("a send in doubt is not submitted again after its expiry, and ends as PROVIDER_OUTCOME_UNKNOWN", async () => {
  const send = await aSendThat(past);
  await markInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
  await change(
    database.db,
    "update feedback_progress set workers_up_since = now() - interval '2 hours', workers_up_at = now()",
  );
  await change(database.db, "update send_queue set due_at = now() - interval '2 hours'");
  const rule = { inDoubtSeconds: 1, inDoubtMaxSeconds: 60 };
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([send.id]);
  const again = await claimAgain(database.db, send.id);
  expect(again).toMatchObject({ hasUnknownAttempt: true });
  expect(again.expiresInMs).toBeLessThan(0);
  await giveBack(database.db, [{ ...attemptOf(again), outcome: "returned" }]);
  expect(await expireSends(database.db, "live")).toBe(1);
  expect(await sendRow(database.db, send.id)).toMatchObject({ errorCode: "PROVIDER_OUTCOME_UNKNOWN" });
});

test("evidence of an earlier attempt corrects an expired send", async () => {
  const send = await aSendThat(past);
  await setState(send.id, "ready");
  await expireSends(database.db, "live");
  const evidence = { sendId: send.id, attempt: 1, providerMessageId: "m-1", at: undefined };
  expect(await confirmSubmissions(database.db, [evidence])).toMatchObject([{ hasMoved: true }]);
  expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent", errorCode: null });
});

test("a send that the operator retries keeps its expiry", async () => {
  const send = await aSendThat(past);
  await change(database.db, "update sends set expires_at = now() - interval '1 second' where id = $1", [send.id]);
  const code = "PROVIDER_UNAVAILABLE" as const;
  await markFailed(database.db, [{ ...attemptOf(send), outcome: "try-later", code, message: "No." }]);
  expect(await retryFailed(database.db, code, [{ ...send, position: 1 }])).toEqual([send.id]);
  expect(await expireSends(database.db, "live")).toBe(1);
  expect(await sendRow(database.db, send.id)).toMatchObject({ errorCode: "EXPIRED" });
});

test("after a failover an expired send is in doubt and not EXPIRED", async () => {
  const send = await aSendThat(past);
  await setState(send.id, "ready");
  await change(
    database.db,
    "update provider_state set server = server_identity(), server_run = '' where mode = 'live'",
  );
  await change(
    database.db,
    `insert into failovers (cause, server_after, in_doubt_since, last_id)
     values ('operator', server_identity(), now(), 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
  );
  expect(await expireSends(database.db, "live")).toBe(0);
  await sweepOlderSends(database.db);
  expect(await expireSends(database.db, "live")).toBe(0);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "in-doubt" });
});

test("eight workers end each expired send once, and the index finds it among those that do not expire", async () => {
  await change(
    database.db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       select new_id_at(now()), gen_random_uuid(), 'live', 'queued', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello'
       from generate_series(1, 4000)
       returning id, account_id
     )
     insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients, expires_at)
     select id, account_id, 'live', now(), 'shop.test', '{jane@example.test}', case when random() < 0.5 then now() end
     from stored`,
  );
  const [{ count } = { count: 0 }] = (await change(
    database.db,
    "select count(*)::integer as count from send_queue where expires_at is not null",
  )) as { count: number }[];
  let ended = 0;
  for (let round = 0; round < 8; round++) {
    const counts = await Promise.all(Array.from({ length: 8 }, () => expireSends(database.db, "live")));
    ended += counts.reduce((sum, each) => sum + each, 0);
  }
  expect(ended).toBe(count);
});

async function aSendThat(expiresIn: string | undefined): Promise<ClaimedSend> {
  const send = await aClaimedSend(database.db);
  await change(database.db, "update send_queue set expires_at = now() + $2::interval where id = $1", [
    send.id,
    expiresIn,
  ]);
  return send;
}

async function setState(id: string, state: string): Promise<void> {
  await change(database.db, "update send_queue set state = $2, due_at = now() + interval '1 hour' where id = $1", [
    id,
    state,
  ]);
}
