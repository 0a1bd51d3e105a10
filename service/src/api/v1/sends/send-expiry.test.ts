import { describe, expect, test } from "vitest";
import { change } from "../../../../test/send-rows.ts";
import { fieldsOf, type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";
import { claimSends } from "../../../queue/claim-sends.ts";

const { api, aSender, send, statusOf } = useSendingApi();

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const day = 86_400;

describe("expires_at and ttl_seconds of POST /api/v1/send", () => {
  test("are the time of the record and of the queue, and absent without an expiry", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    const expires_at = inSeconds(600);
    const { id } = (await send(sender, { expires_at })).json();
    expect((await statusOf(id, sender)).json().expires_at).toBe(expires_at);
    const listed = await api.call({ method: "GET", path: "/api/v1/sends", key: sender.key });
    expect(listed.json().data.sends[0]).toMatchObject({ id, expires_at });
    const [row] = await change(api.database.db, "select expires_at from send_queue where id = $1", [id]);
    expect(new Date(String(row?.expires_at)).toISOString()).toBe(expires_at);
    const plain = (await send(sender)).json();
    expect(Object.keys((await statusOf(plain.id, sender)).json())).not.toContain("expires_at");
  });

  test("ttl_seconds counts from the acceptance", async () => {
    const sender = await aSender();
    const { id, queued_at } = (await send(sender, { ttl_seconds: 90 })).json();
    const { expires_at } = (await statusOf(id, sender)).json();
    expect(Date.parse(expires_at) - Date.parse(queued_at)).toBe(90_000);
  });

  test("the claim of such a send says how long it may still be submitted, and that of another one nothing", async () => {
    const sender = await aSender();
    await change(api.database.db, "delete from send_queue");
    const timed = (await send(sender, { ttl_seconds: 90 })).json();
    const plain = (await send(sender)).json();
    const all = { mode: "live", maxSends: 10, maxRecipients: 10, fromFairAt: "-infinity", isProbe: true } as const;
    const { sends } = await claimSends(api.database.db, all);
    const claimed = new Map(sends.map((each) => [each.id, each]));
    expect(claimed.get(timed.id)?.expiresInMs).toBeGreaterThan(60_000);
    expect(claimed.get(timed.id)?.expiresInMs).toBeLessThanOrEqual(90_000);
    expect(claimed.get(plain.id)?.expiresInMs).toBeNull();
    // An earlier release refuses the second format.
    expect([claimed.get(timed.id)?.sealed?.[0], claimed.get(plain.id)?.sealed?.[0]]).toEqual([2, 1]);
  });

  test.each([
    [{ expires_at: inSeconds(-1) }, "expires_at in_the_past"],
    [{ expires_at: inSeconds(30 * day + 60) }, "expires_at too_large"],
    [{ expires_at: "tomorrow" }, "expires_at invalid"],
    [{ expires_at: 5 }, "expires_at wrong_type"],
    [{ ttl_seconds: 0 }, "ttl_seconds too_small"],
    [{ ttl_seconds: 30 * day + 1 }, "ttl_seconds too_large"],
    [{ ttl_seconds: 1.5 }, "ttl_seconds wrong_type"],
    [{ ttl_seconds: 60, expires_at: inSeconds(60) }, "ttl_seconds contradiction"],
  ])("%j is 422: %s, also at /send/validate", async (fields, problem) => {
    const sender = await aSender();
    const response = await send(sender, fields);
    expect([response.status, fieldsOf(response)]).toEqual([422, [problem]]);
    const validated = await validate(sender, fields);
    expect(validated.json()).toMatchObject({ valid: false, would_answer: { status: 422, code: "VALIDATION_ERROR" } });
    expect(validated.json().problems.map(({ field, code }: Record<string, string>) => `${field} ${code}`)).toEqual([
      problem,
    ]);
  });

  test("a repeat gets its first answer after the expiry, and another expiry under the same key is 409", async () => {
    const sender = await aSender();
    const body = { idempotency_key: "code-1", expires_at: inSeconds(1.5) };
    const first = (await send(sender, body)).json();
    expect((await send(sender, { ...body, expires_at: inSeconds(60) })).json().error.details[0].field).toBe(
      "expires_at",
    );
    expect((await send(sender, { idempotency_key: "code-1" })).status).toBe(409);
    await expect.poll(() => Date.now() > Date.parse(body.expires_at), { timeout: 5_000 }).toBe(true);
    expect((await send(sender, body)).json()).toMatchObject({ id: first.id, idempotent: true });
    expect((await validate(sender, body)).json()).toMatchObject({ valid: true, idempotency: { state: "repeat" } });
    const generated = { idempotency_key: first.id, expires_at: body.expires_at };
    expect((await send(sender, generated)).status).toBe(422);
  });

  test("null equals absent", async () => {
    const sender = await aSender();
    const first = await send(sender, { idempotency_key: "k", expires_at: null, ttl_seconds: null });
    expect(first.status).toBe(202);
    expect((await send(sender, { idempotency_key: "k" })).json()).toMatchObject({ idempotent: true });
  });
});

function validate(sender: TestSender, fields: object) {
  const mail = { from: sender.from, to: ["jane@example.io"], subject: "Hello", text: "Hi Jane" };
  return api.call({ method: "POST", path: "/api/v1/send/validate", key: sender.key, body: { ...mail, ...fields } });
}
