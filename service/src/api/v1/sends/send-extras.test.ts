import { beforeAll, describe, expect, test } from "vitest";
import { anEvent } from "../../../../test/event-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { fieldsOf, type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, statusOf } = useSendingApi();

const extras = {
  headers: { "X-Order-Id": "1001", "List-Unsubscribe": "<https://shop.test/u>" },
  tags: ["receipt", "eu.west"],
  metadata: { order: "1001", lines: [{ sku: "a", count: 2 }], paid: true },
};

function get(path: string, sender: TestSender) {
  return api.call({ method: "GET", path: `/api/v1${path}`, key: sender.key });
}

describe("headers, tags and metadata of a send", () => {
  let sender: TestSender;
  beforeAll(async () => {
    sender = await aSender({ scopes: ["send", "read"] });
  });

  test("come back: tags and metadata with the record, its list, timeline and events, headers with the content", async () => {
    const { id } = (await send(sender, extras)).json();
    const { tags, metadata, headers } = extras;
    expect((await statusOf(id, sender)).json()).toMatchObject({ tags, metadata });
    expect((await get(`/send/${id}/timeline`, sender)).json()).toMatchObject({ tags, metadata });
    expect((await get(`/send/${id}/content`, sender)).json()).toMatchObject({ headers });
    await anEvent(api.database.db, { accountId: sender.accountId, sendId: id });
    const { events } = (await get(`/events?email_id=${id}`, sender)).json().data;
    expect(events).toEqual([expect.objectContaining({ email_id: id, tags, metadata })]);
    const paged = (await get("/events", sender)).json().data;
    expect(paged.events).toEqual([expect.objectContaining({ email_id: id, tags, metadata })]);
    const { sends } = (await get("/sends?tag=eu.west", sender)).json().data;
    expect(sends).toEqual([expect.objectContaining({ id, tags, metadata })]);
  });

  test("are absent from the answers about a send without them", async () => {
    const { id } = (await send(sender, { headers: {}, tags: [], metadata: null })).json();
    const record = (await statusOf(id, sender)).json();
    const content = (await get(`/send/${id}/content`, sender)).json();
    expect([Object.keys(record), Object.keys(content)].flat()).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(tags|metadata|headers)$/)]),
    );
    const [row] = await change(api.database.db, "select tags, metadata from sends where id = $1", [id]);
    expect(row).toEqual({ tags: null, metadata: null });
  });

  test("a filter by tag finds the sends with exactly this tag, and none of another account", async () => {
    const other = await aSender({ scopes: ["send", "read"] });
    await send(other, { tags: ["only-here"] });
    const { id } = (await send(sender, { tags: ["only-here", "x"] })).json();
    await send(sender, { tags: ["only-here-not"] });
    const { sends } = (await get("/sends?tag=only-here", sender)).json().data;
    expect(sends.map((found: { id: string }) => found.id)).toEqual([id]);
  });

  test("a tag that is there twice counts once", async () => {
    const { id } = (await send(sender, { tags: ["a", "b", "a"] })).json();
    expect((await statusOf(id, sender)).json().tags).toEqual(["a", "b"]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["a list of headers", { headers: [] }, ["headers wrong_type"]],
    ["a header value that is no string", { headers: { "X-A": 1 } }, ["headers.X-A invalid"]],
    ["a line break in a value", { headers: { "X-A": "1\r\nBcc: x@y.io" } }, ["headers.X-A invalid"]],
    ["a line break in a name", { headers: { "X-A\r\nBcc": "1" } }, ["headers.X-A??Bcc invalid"]],
    ["a colon in a name", { headers: { "X-A:": "1" } }, ["headers.X-A: invalid"]],
    ["a value that is not ASCII", { headers: { "X-A": "é" } }, ["headers.X-A invalid"]],
    ["an empty value", { headers: { "X-A": " " } }, ["headers.X-A invalid"]],
    ["a value of 871 characters", { headers: { "X-A": "x".repeat(871) } }, ["headers.X-A invalid"]],
    [
      "a header that Postern sets",
      { headers: { Bcc: "x@y.io", subject: "x" } },
      ["headers.Bcc invalid", "headers.subject invalid"],
    ],
    [
      "headers that control SES or Postern, in any case",
      { headers: { "x-ses-configuration-set": "x", "X-AMZ-Mail": "x", "X-postern-Id": "x" } },
      ["headers.x-ses-configuration-set invalid", "headers.X-AMZ-Mail invalid", "headers.X-postern-Id invalid"],
    ],
    ["a header in two spellings", { headers: { "X-A": "1", "x-a": "2" } }, ["headers.x-a invalid"]],
    [
      "16 headers",
      { headers: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`X-${i}`, "1"])) },
      ["headers invalid"],
    ],
    ["11 tags", { tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }, ["tags too_large"]],
    [
      "tags with other characters",
      { tags: ["a,b", "", "x".repeat(65), "ok"] },
      ["tags[0] wrong_format", "tags[1] wrong_format", "tags[2] wrong_format"],
    ],
    ["metadata that is a list", { metadata: [] }, ["metadata wrong_type"]],
    ["metadata of 4,097 bytes", { metadata: { a: "x".repeat(4089) } }, ["metadata invalid"]],
    ["metadata with a number that would change", { metadata: { id: 2 ** 60 } }, ["metadata invalid"]],
    [
      "metadata with 17 levels",
      { metadata: JSON.parse(`${'{"a":'.repeat(17)}1${"}".repeat(17)}`) },
      ["metadata invalid"],
    ],
    [
      "several problems, all reported together",
      { headers: { To: "x" }, tags: ["é"], metadata: 3 },
      ["headers.To invalid", "tags[0] wrong_format", "metadata wrong_type"],
    ],
  ])("422 for %s", async (_what, change_, fields) => {
    const response = await send(sender, change_);
    expect([response.status, fieldsOf(response)]).toEqual([422, fields]);
  });

  test("a wrong type is named in the words of JSON", async () => {
    const { message } = (await send(sender, { headers: [], metadata: 3 })).json().error;
    expect(message).toBe("headers must be a JSON object; metadata must be a JSON object.");
  });

  test("accepts the longest of each", async () => {
    const response = await send(sender, {
      headers: { "X-A": "x".repeat(870), [`X-${"b".repeat(124)}`]: "1", References: "<a@b>", "In-Reply-To": "<a@b>" },
      tags: Array.from({ length: 10 }, (_, i) => `${i}`.padEnd(64, "t")),
      metadata: { a: "x".repeat(4088) },
    });
    expect(response.status).toBe(202);
  });
});

describe("a repeat with the same idempotency key", () => {
  test("is one when the objects differ in the order of their keys only, or an empty one is absent", async () => {
    const sender = await aSender();
    const first = await send(sender, { ...extras, idempotency_key: "one" });
    const reordered = { ...extras, metadata: { paid: true, lines: [{ count: 2, sku: "a" }], order: "1001" } };
    const again = await send(sender, { ...reordered, idempotency_key: "one" });
    expect(again.json()).toMatchObject({ id: first.json().id, idempotent: true });
    const plain = await send(sender, { idempotency_key: "two" });
    const empty = await send(sender, { headers: {}, tags: [], metadata: {}, idempotency_key: "two" });
    expect(empty.json()).toMatchObject({ id: plain.json().id, idempotent: true });
  });

  test.each([
    ["headers", { headers: { "X-Order-Id": "1002" } }],
    ["tags", { tags: ["receipt"] }],
    ["metadata", { metadata: { order: "1002" } }],
    ["metadata", { metadata: undefined }],
  ])("is 409 when %s differ", async (field, difference) => {
    const sender = await aSender();
    await send(sender, { ...extras, idempotency_key: "one" });
    const response = await send(sender, { ...extras, ...difference, idempotency_key: "one" });
    expect([response.status, fieldsOf(response)]).toEqual([409, [`${field} differs`]]);
  });
});
