import { expect, onTestFinished, test } from "vitest";
import { useSendingApi } from "../../../test/use-sending-api.ts";
import { createApiServer } from "./create-api-server.ts";
import { createReadLimits } from "./read-limits.ts";

const { api, aSender, send } = useSendingApi();

const read = (key: string, path = "/api/v1/sends?recipient=jane%40example.io") =>
  api.call({ method: "GET", path, key });

test("the reads of an account beyond 200 in a second get 429 with the limits and Retry-After; sends do not count", async () => {
  const [sender, other] = [await aSender(), await aSender()];
  const first = await read(sender.key, "/api/v1/account");
  expect(first.headers["ratelimit-policy"]).toBe('"second";q=200;w=1, "minute";q=6000;w=60');
  expect(first.headers.ratelimit).toBe('"second";r=199, "minute";r=5999');
  // A clock that stands still, so that no window ends during the test.
  const readLimits = createReadLimits(10, () => 0);
  for (let made = 0; made < 200; made++) readLimits.count(sender.accountId);
  const app = await createApiServer({ ...api.deps, readLimits });
  onTestFinished(() => app.close());
  const readThere = ({ key }: { key: string }) =>
    app.inject({ method: "GET", url: "/api/v1/account", headers: { "x-api-key": key } });
  const refused = await readThere(sender);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers).toMatchObject({ "retry-after": "1", ratelimit: expect.stringContaining('"second";r=0') });
  expect(refused.json().error).toMatchObject({
    code: "RATE_LIMIT_EXCEEDED",
    message: expect.stringContaining("200 a second, 6000 a minute"),
  });
  expect((await send(sender)).status).toBe(202);
  expect((await readThere(other)).statusCode).toBe(200);
});

test("an account has four reads in progress, and what it cannot start in two seconds gets 429; another account is not delayed", async () => {
  const [sender, other] = [await aSender(), await aSender()];
  const { answered, inProgress, unaffected } = await api.database.db.withTransaction(async (tx) => {
    await tx.query({ name: "lock-sends", text: "lock table sends in access exclusive mode" });
    const slow = Promise.all(Array.from({ length: 60 }, () => read(sender.key)));
    await expect.poll(waitingStatements, { timeout: 5_000 }).toBeGreaterThanOrEqual(4);
    const fast = [];
    for (let made = 0; made < 5; made++) fast.push(await read(other.key, "/api/v1/account"));
    const waiting = await waitingStatements();
    // In an object, because the transaction would await a bare promise.
    return { answered: { slow }, inProgress: waiting, unaffected: fast };
  });
  expect(inProgress).toBe(4);
  expect(new Set(unaffected.map(({ status }) => status))).toEqual(new Set([200]));
  const answers = await answered.slow;
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

test("a window starts again after its end, and refused reads are not counted", () => {
  let time = 5_000;
  const limits = createReadLimits(10, () => time);
  const admitted = (count: number) =>
    Array.from({ length: count }, () => limits.count("a").retryMs).filter((retryMs) => retryMs === undefined).length;
  expect(admitted(250)).toBe(200);
  expect(limits.count("a").retryMs).toBe(1000);
  time += 999;
  expect([admitted(5), limits.count("a").retryMs]).toEqual([0, 1]);
  time += 1;
  expect(limits.count("a").usage).toEqual({ limits: [200, 6000], remaining: [199, 5799] });
  for (let second = 0; second < 29; second++) {
    admitted(300);
    time += 1000;
  }
  expect(limits.count("a").retryMs).toBe(30_000);
  expect(limits.count("b").retryMs).toBeUndefined();
  time += 30_000;
  expect(limits.count("a").retryMs).toBeUndefined();
});

async function waitingStatements(): Promise<number> {
  const [row] = await api.database.db.query<{ count: number }>({
    name: "waiting-statements",
    text: `
      select count(*) as count
      from pg_stat_activity
      where datname = current_database()
        and wait_event_type = 'Lock'`,
  });
  return row?.count ?? -1;
}
