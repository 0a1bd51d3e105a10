import { describe, expect, test } from "vitest";
import { anApiKey } from "../../../../test/builders.ts";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, setLimits, send, countSends } = useSendingApi();

describe("POST /api/v1/send returns 429", () => {
  test("for the fourth request in a second, with Retry-After and what remains of each window", async () => {
    const sender = await aSender({ isUnlimited: false });
    const responses = [];
    for (let sent = 0; sent < 4; sent++) responses.push(await send(sender));
    expect(responses.map((response) => response.status)).toEqual([202, 202, 202, 429]);
    expect(responses[0]?.headers["ratelimit-policy"]).toBe(
      '"second";q=3;w=1, "10-seconds";q=20;w=10, "minute";q=100;w=60',
    );
    expect(responses[0]?.headers.ratelimit).toBe('"second";r=2, "10-seconds";r=19, "minute";r=99');
    expect(responses[3]?.headers.ratelimit).toBe('"second";r=0, "10-seconds";r=17, "minute";r=97');
    expect(responses[3]?.headers["retry-after"]).toBe("1");
    expect(responses[3]?.json().error).toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      message: expect.stringContaining("3 a second"),
    });
    // An API client cannot run commands of the operator.
    expect(responses[3]?.text).not.toContain("postern admin");
    expect(await countSends(sender.accountId)).toBe(3);
  });

  test.each([
    [10, [100, 20, 100]],
    [60, [100, 100, 100]],
  ])(
    "while the window of %s seconds is full, with the time until its oldest request leaves it",
    async (seconds, limits) => {
      const sender = await aSender({ isUnlimited: false });
      const limit = Math.min(...limits);
      await setLimits(sender.accountId, ...(limits as [number, number, number]));
      const responses = await Promise.all(Array.from({ length: limit + 1 }, () => send(sender)));
      expect(responses.filter((response) => response.status === 202)).toHaveLength(limit);
      const refused = responses.find((response) => response.status === 429);
      expect(Number(refused?.headers["retry-after"])).toBeGreaterThanOrEqual(limit === 100 ? 1 : seconds - 2);
    },
  );

  test("before 422, and does not count the refused request", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 2, 2, 2);
    expect((await send(sender, { extra: 1 })).status).toBe(422);
    expect((await send(sender, { subject: "" })).status).toBe(422);
    expect((await send(sender, { extra: 1 })).status).toBe(429);
    const [row] = await api.database.db.query<{ counted: number }>({
      name: "counted-requests",
      text: `select totals[cardinality(totals)] as counted from rate_windows where account_id = $1`,
      values: [sender.accountId],
    });
    expect(row?.counted).toBe(2);
  });

  test("counting all keys of an account together, and live and test mode separately", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 1, 1, 1);
    const second = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId);
    const sandboxed = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    expect((await send(sender)).status).toBe(202);
    expect((await send({ ...sender, key: second.key })).status).toBe(429);
    expect((await send({ ...sender, key: sandboxed.key })).status).toBe(202);
  });

  test("counting idempotent repeats", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 2, 2, 2);
    await send(sender, { idempotency_key: "k" });
    expect((await send(sender, { idempotency_key: "k" })).json().idempotent).toBe(true);
    expect((await send(sender, { idempotency_key: "k" })).status).toBe(429);
  });
});

describe("POST /api/v1/send/validate returns 429", () => {
  const validate = ({ key, from }: { key: string; from: string }, body: object = {}) =>
    api.call({ method: "POST", path: "/api/v1/send/validate", key, body: { from, ...hello, ...body } });

  test("beyond the limits of sends, counted apart from sends, before the body is parsed", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 100, 100, 2);
    expect((await validate(sender)).headers.ratelimit).toBe('"second";r=99, "10-seconds";r=99, "minute";r=1');
    expect((await validate(sender, { extra: 1 })).status).toBe(200);
    const refused = await validate(sender, { extra: 1 });
    expect(refused.status).toBe(429);
    expect(refused.headers["ratelimit-policy"]).toBe('"second";q=100;w=1, "10-seconds";q=100;w=10, "minute";q=2;w=60');
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(30);
    expect(refused.json().error).toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      message: expect.stringContaining("limit for validations"),
    });
    expect([(await send(sender)).status, (await send(sender)).status]).toEqual([202, 202]);
    expect((await send(sender)).status).toBe(429);
  });
});
