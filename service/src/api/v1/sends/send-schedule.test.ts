import { describe, expect, test } from "vitest";
import { isScheduled } from "../../../../test/scheduled-sends.ts";
import { change, queueRow } from "../../../../test/send-rows.ts";
import { fieldsOf, useSendingApi } from "../../../../test/use-sending-api.ts";
import { queueDueSends } from "../../../accept/queue-scheduled.ts";

const { api, aSender, send, statusOf } = useSendingApi();

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const day = 86_400;

describe("scheduled_at of POST /api/v1/send", () => {
  test("keeps the send queued outside the queue until its time, with its content", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    const scheduled_at = inSeconds(600);
    const response = await send(sender, { scheduled_at });
    expect(response.json()).toMatchObject({ status: "queued", scheduled_at });
    const { id } = response.json();
    expect((await statusOf(id, sender)).json()).toMatchObject({ status: "queued", scheduled_at });
    expect([await isScheduled(api.database.db, id), await queueRow(api.database.db, id)]).toEqual([true, undefined]);
    const content = await api.call({ method: "GET", path: `/api/v1/send/${id}/content`, key: sender.key });
    expect(content.json()).toMatchObject({ text: "Hi Jane" });
    await change(api.database.db, "update scheduled_sends set scheduled_at = now() where id = $1", [id]);
    expect(await queueDueSends(api.database.db, "live")).toBe(1);
    expect(await queueRow(api.database.db, id)).toMatchObject({ state: "ready", recipients: ["jane@example.io"] });
    const later = await api.call({ method: "GET", path: `/api/v1/send/${id}/content`, key: sender.key });
    expect(later.json()).toEqual(content.json());
  });

  test("in the past is now, and absent without it", async () => {
    const sender = await aSender();
    const past = (await send(sender, { scheduled_at: inSeconds(-60) })).json();
    expect(await queueRow(api.database.db, past.id)).toMatchObject({ state: "ready" });
    const plain = (await send(sender, { scheduled_at: null })).json();
    expect(Object.keys(plain)).not.toContain("scheduled_at");
    expect(Object.keys((await statusOf(plain.id, sender)).json())).not.toContain("scheduled_at");
  });

  test("ttl_seconds counts from scheduled_at, and expires_at may be 30 days after it", async () => {
    const sender = await aSender();
    const scheduled_at = inSeconds(10 * day);
    const { id } = (await send(sender, { scheduled_at, ttl_seconds: 90 })).json();
    const { expires_at } = (await statusOf(id, sender)).json();
    expect(Date.parse(expires_at) - Date.parse(scheduled_at)).toBe(90_000);
    expect((await send(sender, { scheduled_at, expires_at: inSeconds(39 * day) })).status).toBe(202);
    const [row] = await change(api.database.db, "select expires_at from scheduled_sends where id = $1", [id]);
    expect(new Date(String(row?.expires_at)).toISOString()).toBe(expires_at);
  });

  test.each([
    [{ scheduled_at: inSeconds(30 * day + 60) }, "scheduled_at too_large"],
    [{ scheduled_at: "monday" }, "scheduled_at invalid"],
    [{ scheduled_at: inSeconds(60), expires_at: inSeconds(30) }, "expires_at contradiction"],
    [{ scheduled_at: inSeconds(day), expires_at: inSeconds(32 * day) }, "expires_at too_large"],
  ])("%j is 422: %s", async (fields, problem) => {
    const response = await send(await aSender(), fields);
    expect([response.status, fieldsOf(response)]).toEqual([422, [problem]]);
  });

  test("a repeat gets its first answer, and another time under the same key is 409", async () => {
    const sender = await aSender();
    const body = { idempotency_key: "news-1", scheduled_at: inSeconds(60) };
    const { id } = (await send(sender, body)).json();
    expect((await send(sender, body)).json()).toMatchObject({ id, idempotent: true, scheduled_at: body.scheduled_at });
    const other = await send(sender, { ...body, scheduled_at: inSeconds(120) });
    expect([other.status, other.json().error.details[0].field]).toEqual([409, "scheduled_at"]);
  });

  test("a scheduled send is cancelled by its id", async () => {
    const sender = await aSender();
    const { id } = (await send(sender, { scheduled_at: inSeconds(60) })).json();
    const cancelled = await api.call({ method: "POST", path: `/api/v1/send/${id}/cancel`, key: sender.key });
    expect([cancelled.status, cancelled.json().error_code]).toEqual([200, "CANCELLED"]);
    expect(await isScheduled(api.database.db, id)).toBe(false);
  });
});
