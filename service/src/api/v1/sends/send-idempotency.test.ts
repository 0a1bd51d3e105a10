import { describe, expect, test } from "vitest";
import { anApiKey } from "../../../../test/builders.ts";
import { aSuppression } from "../../../../test/send-builders.ts";
import { fieldsOf, hello, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, countSends } = useSendingApi();

describe("POST /api/v1/send returns 409", () => {
  test("when the key was used with a different payload, naming the differing fields and the original send", async () => {
    const sender = await aSender();
    const { id } = (await send(sender, { idempotency_key: "k", cc: ["c@x.io"] })).json();
    const response = await send(sender, { idempotency_key: "k", subject: "Other", to: ["other@x.io"] });
    expect(response.status).toBe(409);
    expect(response.json().error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining(id) });
    expect(fieldsOf(response)).toEqual(["to differs", "subject differs", "cc differs"]);
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test.each([
    { subject: "Hello " },
    { subject: "hello" },
    { to: ["Jane@example.io"] },
    { to: ["jane@example.io", "b@x.io"] },
    { text: "Hi Jane\n" },
    { html: "" },
    { html: "Hi Jane", text: undefined },
    { reply_to: "jane@example.io" },
    { bcc: ["b@x.io"] },
  ])("when the payload differs only in %j", async (change) => {
    const sender = await aSender();
    await send(sender, { idempotency_key: "k" });
    expect((await send(sender, { idempotency_key: "k", ...change })).status).toBe(409);
  });
});

describe("POST /api/v1/send with an idempotency key", () => {
  test("returns the original response with idempotent true and creates no send", async () => {
    const sender = await aSender();
    const first = (await send(sender, { idempotency_key: "k" })).json();
    const second = await send(sender, { idempotency_key: "k" });
    expect(second.status).toBe(202);
    expect(second.json()).toEqual({ ...first, idempotent: true });
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("ignores the order of fields and treats an absent, null and empty list as the same payload", async () => {
    const sender = await aSender();
    const first = (await send(sender, { idempotency_key: "k" })).json();
    const equivalent = await send(sender, { idempotency_key: "k", cc: [], bcc: null, html: null });
    expect(equivalent.json()).toEqual({ ...first, idempotent: true });
    const rawBody = JSON.stringify({
      text: hello.text,
      idempotency_key: "k",
      subject: hello.subject,
      to: hello.to,
      from: sender.from,
    });
    const reordered = await api.call({
      method: "POST",
      path: "/api/v1/send",
      key: sender.key,
      rawBody,
      headers: { "content-type": "application/json" },
    });
    expect(reordered.json()).toEqual({ ...first, idempotent: true });
  });

  test("returns the original response after the domain, the suppressions and the status have changed", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@x.io" });
    const body = { idempotency_key: "k", to: ["jane@x.io", "gone@x.io"] };
    const first = (await send(sender, body)).json();
    await api.database.db.query({
      name: "unverify",
      text: `update domains set verification_status = 'Failed' where account_id = $1`,
      values: [sender.accountId],
    });
    await api.database.db.query({
      name: "unsuppress",
      text: `delete from suppressions where account_id = $1`,
      values: [sender.accountId],
    });
    await api.database.db.query({
      name: "settle-now",
      text: `update sends set status = 'sent', sent_at = now(), provider_message_id = 'm' where account_id = $1`,
      values: [sender.accountId],
    });
    expect((await send(sender, body)).json()).toEqual({ ...first, idempotent: true });
    expect((await send(sender, { ...body, subject: "x" })).status).toBe(409);
  });

  test("accepts the key in the header Idempotency-Key", async () => {
    const sender = await aSender();
    const first = (await send(sender, {}, { "idempotency-key": "k" })).json();
    expect(first.idempotency_key).toBe("k");
    expect((await send(sender, { idempotency_key: "k" })).json()).toEqual({ ...first, idempotent: true });
    const both = await send(sender, { idempotency_key: "k" }, { "idempotency-key": "k" });
    expect(both.json()).toEqual({ ...first, idempotent: true });
    const contradiction = await send(sender, { idempotency_key: "k" }, { "idempotency-key": "other" });
    expect(fieldsOf(contradiction)).toEqual(["Idempotency-Key contradiction"]);
  });

  test("separates keys by account and mode, and shares them between the credentials of an account", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const sandboxed = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const second = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId);
    const first = (await send(sender, { idempotency_key: "k" })).json();
    expect((await send(other, { idempotency_key: "k" })).json()).toMatchObject({ idempotent: false });
    expect((await send({ ...sender, key: sandboxed.key }, { idempotency_key: "k" })).json()).toMatchObject({
      idempotent: false,
    });
    expect((await send({ ...sender, key: second.key }, { idempotency_key: "k" })).json()).toEqual({
      ...first,
      idempotent: true,
    });
  });

  test("creates one send from 40 concurrent identical requests", async () => {
    const sender = await aSender();
    const responses = await Promise.all(Array.from({ length: 40 }, () => send(sender, { idempotency_key: "race" })));
    const bodies = responses.map((response) => response.json());
    expect(bodies.filter((body) => !body.idempotent)).toHaveLength(1);
    expect(new Set(bodies.map((body) => `${body.id} ${body.queued_at}`)).size).toBe(1);
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("does not deduplicate when the request has no key, and uses the id of the send as the key", async () => {
    const sender = await aSender();
    const [one, two] = [(await send(sender)).json(), (await send(sender)).json()];
    expect(one.idempotency_key).toBe(one.id);
    expect(two.id).not.toBe(one.id);
    expect(two.idempotent).toBe(false);
  });
});

describe("POST /api/v1/send with the key that an earlier answer named", () => {
  test("returns the original response when the first request had no key", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@x.io" });
    const body = { to: ["jane@x.io", "gone@x.io"] };
    const first = (await send(sender, body)).json();
    const repeat = await send(sender, { ...body, idempotency_key: first.idempotency_key });
    expect(repeat.json()).toEqual({ ...first, idempotent: true });
    expect(repeat.headers["idempotent-replayed"]).toBe("true");
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("returns 409 for another payload", async () => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    const response = await send(sender, { subject: "Other", idempotency_key: id });
    expect(response.status).toBe(409);
    expect(response.json().error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining(id) });
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("returns the original response after the domain is no longer verified", async () => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    await api.database.db.query({
      name: "unverify",
      text: `update domains set verification_status = 'Failed' where account_id = $1`,
      values: [sender.accountId],
    });
    expect((await send(sender, { idempotency_key: id })).json()).toMatchObject({ id, idempotent: true });
  });

  test("creates a send when the id belongs to a send with a key of its own, another account or the other mode", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const sandboxed = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const keyed = (await send(sender, { idempotency_key: "k" })).json();
    const keyless = (await send(sender)).json();
    expect((await send(sender, { idempotency_key: keyed.id })).json()).toMatchObject({ idempotent: false });
    expect((await send(other, { idempotency_key: keyless.id })).json()).toMatchObject({ idempotent: false });
    expect((await send({ ...sender, key: sandboxed.key }, { idempotency_key: keyless.id })).json()).toMatchObject({
      idempotent: false,
    });
  });
});

test("POST /api/v1/send checks the idempotency key before the domain", async () => {
  const sender = await aSender();
  await send(sender, { idempotency_key: "k" });
  expect((await send({ ...sender, from: "a@elsewhere.io" }, { idempotency_key: "k" })).status).toBe(409);
});
