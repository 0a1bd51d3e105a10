import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anAccount, anApiKey } from "../../../../test/builders.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { type QuotaLimits, setQuotas } from "../../../accounts/quota-store.ts";
import { cancelSends } from "../../../queue/cancel-sends.ts";

const api = useTestApi();
const hello = { to: ["jane@example.io"], subject: "Hello", text: "Hi Jane" };

async function aSender(quotas: Partial<QuotaLimits> = {}, mode: "live" | "test" = "live") {
  const { db } = api.database;
  const accountId = await anAccount(db);
  await change(
    db,
    "update accounts set limit_per_second = 1000, limit_per_10_seconds = 1000, limit_per_minute = 1000 where id = $1",
    [accountId],
  );
  const domain = await aVerifiedDomain(db, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
  const { key } = await anApiKey(db, api.deps.apiKeyIssuer, accountId, { type: mode });
  await setQuotas(db, { accountId, mode }, quotas);
  await refresh();
  return { accountId, key, from: `orders@${domain}` };
}

const refresh = () => api.deps.acceptDeps.quotas.refresh();

type Sender = Awaited<ReturnType<typeof aSender>>;

function post(path: string, { key, from }: Sender, body: Record<string, unknown> = {}) {
  return api.call({ method: "POST", path, key, body: { from, ...hello, ...body } });
}

const send = (sender: Sender, body?: Record<string, unknown>) => post("/api/v1/send", sender, body);
const validate = (sender: Sender, body?: Record<string, unknown>) => post("/api/v1/send/validate", sender, body);

const to = (count: number) => ({ to: Array.from({ length: count }, (_, number) => `jane-${number}@example.io`) });

describe("POST /api/v1/send returns 429 QUOTA_EXCEEDED", () => {
  test("for recipients a day, with the quota, what remains of it and the time until midnight", async () => {
    const sender = await aSender({ recipientsPerDay: 1_000 });
    for (let sent = 0; sent < 997; sent += 50)
      expect((await send(sender, to(Math.min(50, 997 - sent)))).status).toBe(202);
    const response = await send(sender, to(4));
    expect(response.status).toBe(429);
    expect(response.json().error).toMatchObject({
      code: "QUOTA_EXCEEDED",
      message: expect.stringMatching(
        /^The account has a quota of 1,000 recipients of live mail a day, of which 3 remain; this send has 4\. The quota has room again at 00:00 UTC, in .+\. Send the same request again then, or ask the operator of this installation for a higher quota\.$/,
      ),
    });
    const untilMidnight = 86_400 - ((Date.now() / 1000) % 86_400);
    expect(Math.abs(Number(response.headers["retry-after"]) - untilMidnight)).toBeLessThan(10);
    expect((await send(sender, to(3))).status).toBe(202);
  });

  test("for an account on trial, whose limit counts if it is smaller, until the trial is lifted", async () => {
    const sender = await aSender({ trial: 1, recipientsPerDay: 2 });
    expect((await send(sender)).status).toBe(202);
    expect((await send(sender)).json().error.message).toMatch(/^The account is on trial, .* to end the trial\.$/);
    await setQuotas(api.database.db, { accountId: sender.accountId, mode: "live" }, { trial: null });
    await refresh();
    expect((await send(sender)).status).toBe(202);
    expect((await send(sender)).json().error.message).toMatch(
      /^The account has a quota of 2 recipients .* higher quota\.$/,
    );
  });

  test("for queued recipients, until some of them leave the queue", async () => {
    const sender = await aSender({ queuedRecipients: 3 });
    expect((await send(sender, to(2))).status).toBe(202);
    expect((await send(sender)).status).toBe(202);
    const response = await send(sender);
    expect(response).toMatchObject({ status: 429, headers: { "retry-after": "10" } });
    expect(response.json().error.message).toMatch(/^The account has a quota of 3 queued recipients .* 3 are queued;/);
    await cancelSends(api.database.db, { accountId: sender.accountId, message: "a test" });
    await refresh();
    expect((await send(sender)).status).toBe(202);
  });

  test("for stored content", async () => {
    const sender = await aSender({ storedContentBytes: 5_000 });
    const text = "x".repeat(4_000);
    expect((await send(sender, { text })).status).toBe(202);
    const response = await send(sender, { text });
    expect(response).toMatchObject({ status: 429, headers: { "retry-after": "3600" } });
    expect(response.json().error.message).toMatch(/^The account has a quota of 5,000 bytes for the stored content /);
    await refresh();
    expect((await send(sender, { text })).status).toBe(429);
  });

  test("in the mode of the quota only", async () => {
    const sender = await aSender({ recipientsPerDay: 1 }, "test");
    const { key: live } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId);
    expect((await send(sender)).status).toBe(202);
    expect((await send(sender)).status).toBe(429);
    for (let count = 0; count < 3; count++) expect((await send({ ...sender, key: live })).status).toBe(202);
    await refresh();
    expect((await send(sender)).status).toBe(429);
    expect((await send({ ...sender, key: live })).status).toBe(202);
  });

  test("but a repeat of an accepted send gets its first answer, by its own key or by the one in the answer", async () => {
    const sender = await aSender({ recipientsPerDay: 2 });
    const first = await send(sender, { idempotency_key: "order-1" });
    const keyless = await send(sender);
    await refresh();
    const repeat = await send(sender, { idempotency_key: "order-1" });
    expect(repeat.status).toBe(202);
    expect(repeat.headers["idempotent-replayed"]).toBe("true");
    expect(repeat.json()).toEqual({ ...first.json(), idempotent: true });
    const key = keyless.json().idempotency_key;
    expect((await send(sender, { idempotency_key: key })).json().id).toBe(keyless.json().id);
    expect((await send(sender, { idempotency_key: "order-1", subject: "Other" })).status).toBe(409);
    expect((await send(sender, { idempotency_key: "order-2" })).status).toBe(429);
  });

  test("after 400, because waiting does not verify the domain, and stores nothing", async () => {
    const sender = await aSender({ recipientsPerDay: 0 });
    expect((await send(sender, { from: "a@elsewhere.io" })).json().error.code).toBe("DOMAIN_NOT_VERIFIED");
    expect((await send(sender, { idempotency_key: "refused" })).json().error.code).toBe("QUOTA_EXCEEDED");
    for (const table of ["sends", "send_queue", "idempotency_keys", "usage_deltas"]) {
      expect(await change(api.database.db, `select from ${table} where account_id = $1`, [sender.accountId])).toEqual(
        [],
      );
    }
  });
});

describe("POST /api/v1/send/validate", () => {
  test("predicts the refusal and shows what remains of each quota", async () => {
    const sender = await aSender({ recipientsPerDay: 3, queuedRecipients: 10 });
    await send(sender, { ...to(2), idempotency_key: "first" });
    const quotas = [
      { name: "recipients_per_day", limit: 3, remaining: 1, trial: false },
      { name: "queued_recipients", limit: 10, remaining: 8, trial: false },
    ];
    expect((await validate(sender)).json()).toMatchObject({ valid: true, quotas });
    expect((await validate(sender, to(2))).json()).toMatchObject({
      valid: false,
      would_answer: { status: 429, code: "QUOTA_EXCEEDED" },
      quotas,
    });
    expect((await validate(sender, { ...to(2), idempotency_key: "first" })).json()).toMatchObject({ valid: true });
  });

  test("shows no quotas for an account without any", async () => {
    expect((await validate(await aSender())).json()).toMatchObject({ valid: true, quotas: [] });
  });
});
