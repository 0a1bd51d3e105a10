import { expect, test } from "vitest";
import { aClaimedSend, someClaimedSends } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { markExpiredLeasesInDoubt } from "./expired-leases.ts";
import { resendInDoubt } from "./resolve-in-doubt.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a send whose lease has expired becomes in doubt, and its attempt is unknown", async () => {
  const send = await aClaimedSend(database.db);
  await change(database.db, "update send_queue set due_at = now() - interval '1 second' where id = $1", [send.id]);
  expect(await markExpiredLeasesInDoubt(database.db, "live")).toBe(1);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "in-doubt", attempt: 1 });
  expect(await attemptsOf(database.db, send.id)).toEqual(["1 unknown"]);
  expect(await markExpiredLeasesInDoubt(database.db, "live")).toBe(0);
});

test("the wait for evidence starts at the end of the lease, because the worker may have submitted until then", async () => {
  const rule = { inDoubtSeconds: 120, inDoubtMaxSeconds: 3_600 };
  const send = await aClaimedSend(database.db);
  await moveLeaseBack(send.id, { claimedSecondsAgo: 130, endedSecondsAgo: 70 });
  await markExpiredLeasesInDoubt(database.db, "live");
  await change(database.db, "update feedback_progress set reported_submission_at = now() where mode = 'live'");
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
  await moveLeaseBack(send.id, { claimedSecondsAgo: 181, endedSecondsAgo: 121 });
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([send.id]);
});

test("a send whose lease has not expired stays leased", async () => {
  const send = await aClaimedSend(database.db);
  expect(await markExpiredLeasesInDoubt(database.db, "live")).toBe(0);
  expect(await queueRow(database.db, send.id)).toMatchObject({ state: "leased" });
});

test("eight workers that find the same expired leases count each one once", async () => {
  await someClaimedSends(database.db, 50);
  await change(database.db, "update send_queue set state = 'leased', due_at = now() - interval '1 second'");
  const counts = await Promise.all(Array.from({ length: 8 }, () => markExpiredLeasesInDoubt(database.db, "live")));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
});

interface LeaseAges {
  claimedSecondsAgo: number;
  endedSecondsAgo: number;
}

async function moveLeaseBack(id: string, { claimedSecondsAgo, endedSecondsAgo }: LeaseAges) {
  await change(
    database.db,
    `update send_queue set attempted_at = now() - make_interval(secs => $2), due_at = now() - make_interval(secs => $3)
     where id = $1`,
    [id, claimedSecondsAgo, endedSecondsAgo],
  );
}
