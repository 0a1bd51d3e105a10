import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { ageCopies, dropToday, isDropped } from "../../test/expired-contents.ts";
import { aDatabase, value } from "../../test/partitioned-database.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aClaimedSend, anAttachment, attemptOf, testContentKeys } from "../../test/send-builders.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { readAttachments } from "../attachments/read-chunks.ts";
import { storeAttachments } from "../attachments/store-chunks.ts";
import type { Database } from "../db/database.ts";
import { markInDoubt, markSent } from "../queue/settle-sends.ts";
import { keepUnfinishedAttachments } from "./keep-attachments.ts";
import { deleteUnlinkedAttachments } from "./unlinked-attachments.ts";

const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

function weekOfChunks(db: Database) {
  const text =
    "select name from partition_ranges where parent = 'attachment_chunks' and starts_at <= now() and now() < ends_at";
  return value(db, text);
}

const ageChunkCopies = (db: Database) =>
  value(db, "update kept_attachment_chunks set kept_at = kept_at - interval '2 minutes'");

test("the attachments of an unfinished send outlive their week, those of a finished one are dropped with it", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfChunks(db);
  const attachment = anAttachment(randomBytes(700_000));
  const finished = await aClaimedSend(db, { attachments: [attachment] });
  await markSent(db, [{ ...attemptOf(finished), outcome: "accepted", providerMessageId: "m-1" }]);
  const inDoubt = await aClaimedSend(db, { attachments: [attachment] });
  await markInDoubt(db, [{ ...attemptOf(inDoubt), outcome: "unknown" }]);

  await dropToday(db);
  await ageCopies(db);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(false);
  await ageChunkCopies(db);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(true);

  const read = (sendId: string, accountId: string) =>
    readAttachments(db, testContentKeys, { accountId, sendId }, [attachment]);
  expect((await read(inDoubt.id, inDoubt.accountId))[0]?.bytes.equals(attachment.bytes)).toBe(true);
  await expect(read(finished.id, finished.accountId)).rejects.toThrow("is gone");

  await markSent(db, [{ ...attemptOf(inDoubt), outcome: "accepted", providerMessageId: "m-2" }]);
  await dropToday(db);
  expect(await value(db, "select count(*) from kept_attachment_chunks")).toBe(0);
});

test("the attachments of a scheduled send outlive their week too", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfChunks(db);
  const accountId = await anAccount(db);
  const attachment = anAttachment(randomBytes(300_000));
  const id = await aScheduledSend(db, { accountId, dueInSeconds: 86_400, attachments: [attachment] });
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(false);
  await ageChunkCopies(db);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(true);
  await dropToday(db);
  const read = await readAttachments(db, testContentKeys, { accountId, sendId: id }, [attachment]);
  expect(read[0]?.bytes.equals(attachment.bytes)).toBe(true);
});

test("attachments are copied in steps of bounded size, once each", async () => {
  const { db } = await aDatabase(copyTemplate);
  for (let send = 0; send < 3; send++) await aClaimedSend(db, { attachments: [anAttachment(randomBytes(300_000))] });
  await aClaimedSend(db);
  expect(await keepUnfinishedAttachments(db, lastId, 300_000)).toBe(3);
  expect(await keepUnfinishedAttachments(db, lastId)).toBe(0);
  expect(await value(db, "select count(*) from kept_attachment_chunks")).toBe(6);
});

test("attachments without a send are deleted after an hour and not before, and a row in use is left", async () => {
  const { db } = await aDatabase(copyTemplate);
  const sent = await aClaimedSend(db, { attachments: [anAttachment(randomBytes(10))] });
  const accountId = await anAccount(db);
  const sendId = String(await value(db, "select new_id_at(now())"));
  await storeAttachments(db, testContentKeys.current, { accountId, sendId }, [anAttachment(randomBytes(600_000))]);
  expect(await deleteUnlinkedAttachments(db, 10)).toBe(0);
  await value(db, "update pending_attachments set stored_at = now() - interval '61 minutes'");
  await db.withTransaction(async (tx) => {
    await tx.query({ name: "lock-pending", text: "select from pending_attachments for update" });
    expect(await deleteUnlinkedAttachments(db, 10)).toBe(0);
  });
  expect(await deleteUnlinkedAttachments(db, 10)).toBe(1);
  expect(await value(db, "select array_agg(distinct id) from attachment_chunks")).toEqual([sent.id]);
  expect(await value(db, "select count(*) from pending_attachments")).toBe(0);
});
