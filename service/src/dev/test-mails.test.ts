import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anEvent } from "../../test/event-builders.ts";
import { anAttachment, aQueuedSend, testContentKeys } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readTestMails } from "./test-mails.ts";

const database = useTestDatabase();
const mails = () => readTestMails(database.db, testContentKeys);
const listAll = (...words: string[]) => mails().list({ limit: 100, before: undefined, words, searched: 1000 });

async function aSentTestMail(options: Omit<Parameters<typeof aQueuedSend>[1], "accountId" | "mode"> = {}) {
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, { accountId, mode: "test", ...options });
  await markSent(id);
  return { id, accountId };
}

function markSent(id: string) {
  const text = "update sends set status = 'sent', sent_at = now(), provider_message_id = 'sandbox-1' where id = $1";
  return database.db.query({ name: "mark-sent", text, values: [id], changesSends: true });
}

test("a test mail that the sandbox accepted can be opened with its text and its recipients", async () => {
  const { id } = await aSentTestMail({ to: ["a@x.test"], cc: ["b@x.test"], bcc: ["c@x.test"] });
  expect(await mails().find(id)).toMatchObject({
    id,
    subject: "Your order",
    text: "It is on its way.",
    destination: { to: ["a@x.test"], cc: ["b@x.test"], bcc: ["c@x.test"] },
    tags: { provider_message_id: ["sandbox-1"] },
  });
});

test("the list is newest first, continues before a mail, and finds a recipient", async () => {
  const older = await aSentTestMail({ to: ["paged@x.test"] });
  const newer = await aSentTestMail({ to: ["paged@x.test"] });
  const ids = (await listAll("paged@x")).map(({ id }) => id);
  expect(ids).toEqual([newer.id, older.id]);
  const rest = await mails().list({ limit: 1, before: newer.id, words: ["paged"], searched: 1000 });
  expect(rest.map(({ id }) => id)).toEqual([older.id]);
});

test("a search finds mails with every word in sender, recipients and subject, among the newest only", async () => {
  const older = await aSentTestMail({ to: ["Searched@x.test"] });
  const newer = await aSentTestMail({ cc: ["searched@x.test"] });
  const found = (await listAll("searched@", "order")).map(({ id }) => id);
  expect(found).toEqual([newer.id, older.id]);
  expect(await listAll("searched@", "invoice")).toEqual([]);
  const newest = await mails().list({ limit: 100, before: undefined, words: ["searched@"], searched: 1 });
  expect(newest.map(({ id }) => id)).toEqual([newer.id]);
});

test("live mail, and test mail that is still queued or suppressed, is not shown", async () => {
  const accountId = await anAccount(database.db);
  const live = await aQueuedSend(database.db, { accountId, mode: "live" });
  await markSent(live);
  const queued = await aQueuedSend(database.db, { accountId, mode: "test" });
  const ids = (await listAll()).map(({ id }) => id);
  for (const id of [live, queued]) {
    expect(ids).not.toContain(id);
    expect(await mails().find(id)).toBeUndefined();
  }
});

test("its events are shown, and a recipient that was suppressed is not one of its recipients", async () => {
  const { id, accountId } = await aSentTestMail({ to: ["bounced@x.test", "gone@x.test"] });
  const common = { accountId, sendId: id, mode: "test" as const };
  await anEvent(database.db, { ...common, type: "Suppression", recipient: "gone@x.test" });
  await anEvent(database.db, { ...common, type: "Bounce", bounceType: "Permanent", recipient: "bounced@x.test" });
  const mail = await mails().find(id);
  expect(mail?.destination.to).toEqual(["bounced@x.test"]);
  expect(mail?.events).toMatchObject([{ type: "Bounce", bounceType: "Permanent", recipients: ["bounced@x.test"] }]);
});

test("attachments and inline images can be opened with their bytes", async () => {
  const attachments = [
    anAttachment(Buffer.from("1,2"), { filename: "a.csv", contentType: "text/csv" }),
    anAttachment(Buffer.from("png"), { filename: "logo.png", contentType: "image/png", contentId: "logo" }),
  ];
  const { id } = await aSentTestMail({ attachments });
  expect((await mails().find(id))?.attachments).toEqual([
    { name: "a.csv", type: "text/csv", isInline: false, bytes: Buffer.from("1,2") },
    { name: "logo.png", type: "image/png", isInline: true, contentId: "logo", bytes: Buffer.from("png") },
  ]);
});

test("custom headers are shown", async () => {
  const headers = [{ name: "X-Order", value: "1001" }];
  const { id } = await aSentTestMail({ headers });
  expect((await mails().find(id))?.customHeaders).toEqual(headers);
});

test("a mail whose content was deleted says so, and an id that is not one of a send finds nothing", async () => {
  const { id } = await aSentTestMail();
  await change(database.db, "delete from send_contents where id = $1", [id]);
  expect((await mails().find(id))?.text).toBe("Postern has deleted the content of this mail.");
  expect(await mails().find("0100018f-1234-000000")).toBeUndefined();
});
