import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aDatabase, inDays, value } from "../../test/partitioned-database.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aClaimedSend, anAttachment, attemptOf, aVerifiedDomain, claimAgain } from "../../test/send-builders.ts";
import { change, sendRow } from "../../test/send-rows.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { queueDueSends } from "../accept/queue-scheduled.ts";
import type { Database } from "../db/database.ts";
import { deleteFinishedContents } from "../storage/finished-contents.ts";
import { dropOldContents } from "../storage/old-contents.ts";
import { findFailed } from "./retry-failed.ts";
import { markFailed, markSent } from "./settle-sends.ts";

const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** As if it had been accepted so long ago. */
async function acceptedDaysAgo(db: Database, id: string, days: number): Promise<string> {
  const old = String(await value(db, `select new_id_at(now() - interval '${days} days')`));
  for (const table of ["scheduled_sends", "sends", "attachment_chunks"]) {
    await change(db, `update ${table} set id = $2 where id = $1`, [id, old]);
  }
  return old;
}

async function aDeliveredScheduledSend(db: Database, acceptedDays: number): Promise<string> {
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const attachments = [anAttachment(randomBytes(1_000))];
  const scheduled = await aScheduledSend(db, { accountId, fromDomain, dueInSeconds: -1, attachments });
  const id = await acceptedDaysAgo(db, scheduled, acceptedDays);
  expect(await queueDueSends(db, "live")).toBe(1);
  await change(db, "update send_queue set fair_at = now() where id = $1", [id]);
  const send = await claimAgain(db, id);
  await markSent(db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
  return id;
}

async function drop(db: Database, at?: string): Promise<void> {
  for (let run = 0; run < 3; run++) {
    expect(await dropOldContents(db, 30, at)).toMatchObject({ failure: undefined });
    await change(db, "update kept_contents set kept_at = kept_at - interval '2 minutes'");
    await change(db, "update kept_attachment_chunks set kept_at = kept_at - interval '2 minutes'");
  }
}

/** The sealed content and the chunks that Postern still has. */
async function storedOf(db: Database, id: string): Promise<unknown[]> {
  const [row] = await change(
    db,
    `select (select count(*)::integer from send_contents where id = $1) + (select count(*)::integer from kept_contents where id = $1) as contents,
       (select count(distinct (part, number))::integer
        from (select id, part, number from attachment_chunks union all select id, part, number from kept_attachment_chunks) as chunk
        where id = $1) as chunks`,
    [id],
  );
  return [row?.contents, row?.chunks];
}

test.for([8, 29, 45])(
  "content and attachments of a send that was scheduled %i days ahead are kept for the retention after it was due",
  async (days) => {
    const { db } = await aDatabase(copyTemplate);
    const id = await aDeliveredScheduledSend(db, days);
    await drop(db);
    expect(await storedOf(db, id)).toEqual([1, 1]);
    await drop(db, inDays(29));
    expect(await storedOf(db, id)).toEqual([1, 1]);
    await drop(db, inDays(31));
    expect(await storedOf(db, id)).toEqual([0, 0]);
  },
);

test("content of a send that was scheduled hours ahead goes to its week", async () => {
  const { db } = await aDatabase(copyTemplate);
  const id = await aDeliveredScheduledSend(db, 0);
  expect(await change(db, "select count(*)::integer as kept from kept_contents where id = $1", [id])).toEqual([
    { kept: 0 },
  ]);
});

test("attachments stay while the content of their send exists, so a retry finds both", async () => {
  const { db } = await aDatabase(copyTemplate);
  const send = await aClaimedSend(db, { attachments: [anAttachment(randomBytes(1_000))] });
  await drop(db, inDays(60));
  expect(await storedOf(db, send.id)).toEqual([1, 1]);
  // It is queued while the run deletes contents, and final when the run comes to the chunks.
  await deleteFinishedContents(db, "kept_contents", lastId);
  const failure = { code: "PROVIDER_UNAVAILABLE", message: "SES was unavailable." } as const;
  await markFailed(db, [{ ...attemptOf(send), outcome: "try-later", ...failure }]);
  await deleteFinishedContents(db, "kept_attachment_chunks", lastId);
  expect(await sendRow(db, send.id)).toMatchObject({ status: "failed" });
  expect(await storedOf(db, send.id)).toEqual([1, 1]);
  const filter = { code: "PROVIDER_UNAVAILABLE", since: new Date(0).toISOString(), accountId: undefined } as const;
  expect((await findFailed(db, filter, undefined)).failed).toMatchObject([{ id: send.id, obstacle: null }]);
  await drop(db, inDays(60));
  expect(await storedOf(db, send.id)).toEqual([0, 0]);
});
