import { randomUUID } from "node:crypto";
import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { trackSend } from "../track-send.ts";

const headers = { "X-Order-Id": "1001", "List-Unsubscribe": "<https://shop.test/u/1>" };
const tags = ["acceptance", "receipt.eu"];
const metadata = { order: "1001", lines: [{ sku: "a", count: 2 }] };

export const mailExtraTests: Tests = {
  "10.1-01": async (check, context) => {
    const answer = await sendWith(context, { headers });
    check.status("a send with headers", answer, 202);
    const content = await context.admin.asUser("GET", `/api/v1/send/${answer.body?.id}/content`);
    check.equal("the headers of the content", content.body?.headers, headers);
  },
  "10.1-02": async (check, context) => {
    for (const name of ["Bcc", "subject", "x-ses-configuration-set", "X-AMZ-Mail", "x-Postern-Id"]) {
      const answer = await sendWith(context, { headers: { [name]: "x" } });
      check.error(`a send with the header ${name}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "10.1-03": async (check, context) => {
    for (const [what, value] of [
      ["a line break", "1\r\nBcc: x@sandbox.test"],
      ["871 characters", "x".repeat(871)],
    ] as const) {
      const answer = await sendWith(context, { headers: { "X-Order-Id": value } });
      check.error(`a header with ${what}`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "10.1-04": async (check, context) => {
    const answer = await sendWith(context, { tags, metadata });
    const { body } = await context.admin.status("test", String(answer.body?.id));
    check.equal("tags of the record", body?.tags, tags);
    check.equal("metadata of the record", body?.metadata, metadata);
  },
  "10.1-05": async (check, context) => {
    const mail = { ...testMail(context, "delivered"), tags, metadata };
    const { accepted, events } = await trackSend(context.admin, "test", mail, ["delivered"]);
    const { body } = await context.admin.withKey("test", "GET", `/api/v1/send/${accepted.id}/timeline`);
    check.equal("tags of the timeline", body?.tags, tags);
    check.equal("metadata of the timeline", body?.metadata, metadata);
    check.holds("the send has events", events.length > 0, events);
    for (const event of events) {
      check.equal("tags of an event", event.tags, tags);
      check.equal("metadata of an event", event.metadata, metadata);
    }
  },
  "10.1-06": async (check, context) => {
    const tag = `acceptance-${randomUUID()}`;
    const tagged = await sendWith(context, { tags: ["other", tag] });
    await sendWith(context, { tags: [`${tag}.no`] });
    const { body } = await context.admin.asUser("GET", "/api/v1/sends", { query: { mode: "test", tag } });
    const ids = body?.data?.sends?.map((send: { id: string }) => send.id);
    check.equal("the sends with the tag", ids, [tagged.body?.id]);
  },
  "10.1-07": async (check, context) => {
    const many = Array.from({ length: 11 }, (_, number) => `t${number}`);
    for (const wrong of [many, ["a b"], [""], ["x".repeat(65)], "receipt"]) {
      check.error(`tags ${JSON.stringify(wrong)}`, await sendWith(context, { tags: wrong }), 422, "VALIDATION_ERROR");
    }
  },
  "10.1-08": async (check, context) => {
    check.status("metadata of 4,096 bytes", await sendWith(context, { metadata: { a: "x".repeat(4088) } }), 202);
    const answer = await sendWith(context, { metadata: { a: "x".repeat(4089) } });
    check.error("metadata of 4,097 bytes", answer, 422, "VALIDATION_ERROR");
  },
  "10.1-09": async (check, context) => {
    const mail = { ...testMail(context, "delivered"), headers, tags, metadata, idempotency_key: randomUUID() };
    const first = await context.admin.send("test", mail);
    const reordered = { ...mail, metadata: { lines: [{ count: 2, sku: "a" }], order: "1001" } };
    const again = await context.admin.send("test", reordered);
    check.equal("the id of a repeat with its keys in another order", again.body?.id, first.body?.id);
    for (const difference of [{ headers: { "X-Order-Id": "2" } }, { tags: ["other"] }, { metadata: { order: "2" } }]) {
      const answer = await context.admin.send("test", { ...mail, ...difference });
      check.error(`the same key with ${Object.keys(difference).join()} changed`, answer, 409, "CONFLICT");
    }
  },
  "10.1-10": async (check, context) => {
    const answer = await sendWith(context, { headers: {}, tags: [], metadata: null });
    const { body } = await context.admin.status("test", String(answer.body?.id));
    const added = Object.keys(body ?? {}).filter((field) => ["headers", "tags", "metadata"].includes(field));
    check.equal("added fields of the record", added, []);
  },
  "10.1-11": async (check, context) => {
    const tag = `usage-${randomUUID()}`;
    await sendWith(context, { tags: [tag, `${tag}.two`] });
    await sendWith(context, { tags: [tag] });
    await sendWith(context, {});
    const query = { mode: "test", group: "tag", by: "range" };
    const { body } = await context.admin.asUser("GET", "/api/v1/usage", { query });
    const counted = (body?.data?.usage ?? [])
      .filter((entry: { tag: string }) => entry.tag?.startsWith(tag))
      .map((entry: { tag: string; accepted_sends: number; accepted_recipients: number }) => [
        entry.tag,
        entry.accepted_sends,
        entry.accepted_recipients,
      ]);
    check.equal("sends and recipients of each tag", counted, [
      [tag, 2, 2],
      [`${tag}.two`, 1, 1],
    ]);
    const tagged = (body?.data?.usage ?? []).every((entry: { tag?: string }) => typeof entry.tag === "string");
    check.holds("every entry has a tag", tagged, body?.data?.usage);
  },
  "10.1-12": async (check, context) => {
    const query = { mode: "test", group: "tag", by: "hour" };
    const answer = await context.admin.asUser("GET", "/api/v1/usage", { query });
    check.error("usage by tag and hour", answer, 422, "VALIDATION_ERROR");
  },
  "10.1-13": async (check, context) => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`X-Header-${number}`, "1"]));
    const mails = [15, 16].map((count) => ({ ...testMail(context, "delivered"), headers: many(count) }));
    const { body } = await context.admin.sendBatch("test", { mails });
    check.equal("the statuses of mails with 15 and 16 headers", statusesOf(body), [202, 422]);
    check.equal("the code of the second", body.verdicts[1].error?.code, "VALIDATION_ERROR");
  },
  "10.1-14": async (check, context) => {
    const values = ["plain ASCII", "größer", "a\u0001b", "\u{1F4E6}"];
    const mails = values.map((value) => ({ ...testMail(context, "delivered"), headers: { "X-Order-Id": value } }));
    const { body } = await context.admin.sendBatch("test", { mails });
    check.equal(`the statuses of mails with ${JSON.stringify(values)}`, statusesOf(body), [202, 422, 422, 422]);
  },
  "10.1-15": async (check, { fixtures }) => {
    const { tag, metadata: given, ids, notifications } = await fixtures.taggedSends();
    const notified = notifications.map(({ data }) => data.send);
    check.sameSet(
      "the sends of the notifications",
      notified.map(({ id }) => id),
      ids,
    );
    for (const send of notified) {
      check.equal("tags of a notification", send.tags, [tag]);
      check.equal("metadata of a notification", send.metadata, given);
    }
  },
};

function sendWith(context: TestContext, fields: Record<string, unknown>): Promise<Answer> {
  return context.admin.send("test", { ...testMail(context, "delivered"), ...fields });
}

function statusesOf(body: Answer["body"]): unknown[] {
  return (body?.verdicts ?? []).map(({ status }: { status: number }) => status);
}
