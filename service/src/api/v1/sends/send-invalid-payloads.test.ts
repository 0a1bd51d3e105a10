import { beforeAll, describe, expect, test } from "vitest";
import { fieldsOf, type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send } = useSendingApi();

describe("POST /api/v1/send returns 422", () => {
  let sender: TestSender;
  beforeAll(async () => {
    sender = await aSender();
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["from missing", { from: undefined }, ["from required"]],
    ["to missing", { to: undefined }, ["to required"]],
    ["to empty", { to: [] }, ["to too_small"]],
    ["to a string", { to: "jane@x.io" }, ["to wrong_type"]],
    ["subject missing", { subject: undefined }, ["subject required"]],
    ["subject empty", { subject: "" }, ["subject empty"]],
    ["neither html nor text", { text: undefined }, ["html required"]],
    ["html and text empty", { text: "", html: "" }, ["html required"]],
    [
      "malformed recipients, each reported",
      { to: ["jane", "ok@x.io", "a@b@c.io"] },
      ["to[0] invalid", "to[2] invalid"],
    ],
    ["a malformed from", { from: "Jane" }, ["from invalid"]],
    ["a malformed cc", { cc: ["@x.io"] }, ["cc[0] invalid"]],
    ["a malformed bcc", { bcc: ["x@"] }, ["bcc[0] invalid"]],
    ["a malformed reply_to", { reply_to: "x y" }, ["reply_to invalid"]],
    ["a recipient with a display name", { to: ["Jane <jane@x.io>"] }, ["to[0] invalid"]],
    ["a line break in the subject", { subject: "Hi\r\nBcc: x@y.io" }, ["subject invalid"]],
    ["a line break in a name", { from: "Jane\n <a@x.io>" }, ["from invalid"]],
    ["a subject of 999 characters", { subject: "x".repeat(999) }, ["subject invalid"]],
    ["html over 2 MiB", { html: "é".repeat(1024 * 1024 + 1) }, ["html invalid"]],
    [
      "51 recipients",
      {
        to: Array.from({ length: 26 }, (_, i) => `a${i}@x.io`),
        cc: Array.from({ length: 25 }, (_, i) => `b${i}@x.io`),
      },
      ["to too_large"],
    ],
    ["an unknown field", { subjet: "Hi" }, ["subjet unknown_field"]],
    ["an empty idempotency key", { idempotency_key: "" }, ["idempotency_key wrong_format"]],
    ["an idempotency key of 256 characters", { idempotency_key: "k".repeat(256) }, ["idempotency_key wrong_format"]],
    ["a key that is not printable", { idempotency_key: "k\u00e9" }, ["idempotency_key wrong_format"]],
    [
      "several problems, all reported together",
      { from: "x", subject: "", text: 3, extra: 1 },
      ["from invalid", "subject empty", "text wrong_type", "extra unknown_field"],
    ],
  ])("for %s", async (_what, change, fields) => {
    const response = await send(sender, change);
    expect(response.status).toBe(422);
    expect(response.json().error.code).toBe("VALIDATION_ERROR");
    expect(fieldsOf(response)).toEqual(fields);
  });

  test("and suggests the nearest known field for an unknown one", async () => {
    expect((await send(sender, { subjet: "Hi" })).json().error.message).toContain("did you mean subject?");
  });

  test("for recipients beyond 50 only after it has merged repeated addresses", async () => {
    const fifty = Array.from({ length: 50 }, (_, i) => `a${i}@x.io`);
    const spellings = [...fifty, ...fifty.map((address) => address.toUpperCase()), "a1@x.io"];
    const merged = await send(sender, { to: spellings, cc: fifty, bcc: ["A2@X.io"] });
    expect(merged.status).toBe(202);
    const tooMany = await send(sender, { to: spellings, cc: ["b@x.io"] });
    expect([tooMany.status, fieldsOf(tooMany)]).toEqual([422, ["to too_large"]]);
    expect(tooMany.json().error.message).toContain("more than 50 different recipients");
    const tooLong = await send(sender, { to: Array.from({ length: 1001 }, () => "a1@x.io") });
    expect([tooLong.status, fieldsOf(tooLong)]).toEqual([422, ["to too_large"]]);
  });

  test("for a body that is a list, with one problem: it must be an object", async () => {
    const headers = { "content-type": "application/json" };
    for (const rawBody of ["[]", `[${"1,".repeat(100)}1]`, "3"]) {
      const response = await api.call({ method: "POST", path: "/api/v1/send", key: sender.key, rawBody, headers });
      expect([response.status, fieldsOf(response)]).toEqual([422, ["body wrong_type"]]);
      expect(response.json().error.message).toBe("body must be a JSON object.");
    }
  });

  test.each<[Record<string, unknown>, string]>([
    [{ to: [] }, "to must have at least 1 entry."],
    [{ text: undefined }, "html is required when text is missing or empty."],
    [{ foo: 1 }, "foo is not a known field."],
    [{ form: "a@x.io" }, "form is not a known field; did you mean from?"],
  ])("for %j with the message: %s", async (change, message) => {
    expect((await send(sender, change)).json().error.message).toBe(message);
  });

  test.each(["", "{", "null", "[]", '"text"', "\u0000"])("for the body %j", async (rawBody) => {
    const headers = { "content-type": "application/json" };
    const response = await api.call({ method: "POST", path: "/api/v1/send", key: sender.key, rawBody, headers });
    expect(response.status).toBe(422);
  });

  test("before it checks the idempotency key and the domain", async () => {
    await send(sender, { idempotency_key: "first" });
    expect((await send(sender, { idempotency_key: "first", extra: 1 })).status).toBe(422);
    expect((await send({ ...sender, from: "a@elsewhere.io" }, { extra: 1 })).status).toBe(422);
  });
});
