import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aClaimedSend, anAttachment } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { submitSend } from "./submit-send.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const attachment = anAttachment(randomBytes(600_000), {
  filename: "a.bin",
  contentType: "image/png",
  contentId: "logo",
});

async function submitted(changes: (id: string) => Promise<unknown> = async () => undefined, depChanges = {}) {
  const send = await aClaimedSend(database.db, { attachments: [attachment] });
  await changes(send.id);
  const { mails, provider } = aProviderThat(answers.accepted);
  const { deps } = aDeliveryFixture(database.db, provider, depChanges);
  return { send, mails, result: await submitSend(deps, send, performance.now()) };
}

test("the provider gets the attachments byte for byte", async () => {
  const { mails, result } = await submitted();
  expect(result.move.kind).toBe("sent");
  const [sent] = mails[0]?.attachments ?? [];
  expect(sent).toMatchObject({ filename: "a.bin", contentType: "image/png", contentId: "logo" });
  expect(sent?.bytes.equals(attachment.bytes)).toBe(true);
});

test("the lease and the deadline of the request grow with the bytes by the same time", async () => {
  const { db } = database;
  const { send } = await submitted();
  const text = "select extract(epoch from due_at - attempted_at)::float8 as seconds from send_queue where id = $1";
  const [row] = await change(db, text, [send.id]);
  expect(row?.seconds).toBeCloseTo(62, 1);
});

test("a send without one of its chunks fails and is not submitted", async () => {
  const { mails, result } = await submitted((id) =>
    change(database.db, "delete from attachment_chunks where id = $1 and number = 1", [id]),
  );
  expect(result).toMatchObject({ outcome: "returned", move: { kind: "failed", code: "INTERNAL" } });
  expect(mails).toEqual([]);
});

test("a send whose chunks were swapped is retried and not submitted", async () => {
  const { mails, result } = await submitted((id) =>
    change(
      database.db,
      `update attachment_chunks c
       set sealed = (select o.sealed from attachment_chunks o where o.id = c.id and o.number = 1)
       where c.id = $1 and c.number = 0`,
      [id],
    ),
  );
  expect(result).toMatchObject({ outcome: "returned", move: { kind: "later" } });
  expect(mails).toEqual([]);
});

test("a send is given back when the database does not return its attachments", async () => {
  const db = { query: () => Promise.reject(new AppError("UNAVAILABLE", "gone")) };
  const { mails, result } = await submitted(undefined, { db });
  expect(result).toMatchObject({ outcome: "returned", move: { kind: "given-back" } });
  expect(mails).toEqual([]);
});
