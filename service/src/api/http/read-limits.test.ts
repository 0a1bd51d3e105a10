import { expect, onTestFinished, test } from "vitest";
import { aLogin } from "../../../test/builders.ts";
import { useSendingApi } from "../../../test/use-sending-api.ts";
import { systemActor } from "../../actor.ts";
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
  const [sender, other] = [await aSender({ scopes: ["read"] }), await aSender()];
  const { answered, inProgress, unaffected } = await api.database.db.withTransaction(async (tx) => {
    await tx.query({ name: "lock-sends", text: "lock table sends in access exclusive mode" });
    const slow = Array.from({ length: 60 }, () => read(sender.key));
    await expect.poll(waitingStatements, { timeout: 5_000 }).toBeGreaterThanOrEqual(4);
    const fast = [];
    for (let made = 0; made < 5; made++) fast.push(await read(other.key, "/api/v1/account"));
    const waiting = await waitingStatements();
    await Promise.any(slow.map((one) => one.then(({ status }) => expect(status).toBe(429))));
    // In an object, because the transaction would await a bare promise.
    return { answered: { slow }, inProgress: waiting, unaffected: fast };
  });
  expect(inProgress).toBe(4);
  expect(new Set(unaffected.map(({ status }) => status))).toEqual(new Set([200]));
  const answers = await Promise.all(answered.slow);
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

test("reads of an account within its rate are answered, however many come at once", async () => {
  const sender = await aSender();
  const answers = await Promise.all(Array.from({ length: 150 }, () => read(sender.key, "/api/v1/account")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test("a request that changes something waits for the same slots and gets 429 too, but does not count as a read", async () => {
  const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
  const change = () => api.call({ method: "DELETE", path: "/api/v1/suppression/jane%40example.io", token });
  const { answered, inProgress } = await api.database.db.withTransaction(async (tx) => {
    await tx.query({ name: "lock-suppressions", text: "lock table suppressions in access exclusive mode" });
    const changes = Array.from({ length: 12 }, change);
    await Promise.any(changes.map((one) => one.then(({ status }) => expect(status).toBe(429))));
    return { answered: { changes }, inProgress: await waitingStatements() };
  });
  expect(inProgress).toBe(4);
  const statuses = (await Promise.all(answered.changes)).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([...Array(4).fill(404), ...Array(8).fill(429)]);
  expect(api.deps.readLimits.count(accountId).usage.remaining).toEqual([199, 5999]);
});

test("changes of the suppression list beyond 100 in a second get 429 with Retry-After; an import counts as 20", async () => {
  const [{ accountId, accessToken }, other] = [
    await aLogin(api.database.db, api.deps.loginDeps),
    await aLogin(api.database.db, api.deps.loginDeps),
  ];
  // A clock that stands still, so that no window ends during the test.
  const readLimits = createReadLimits(10, () => 0);
  const app = await createApiServer({ ...api.deps, readLimits });
  onTestFinished(() => app.close());
  const change = (method: "POST" | "DELETE", path: string, payload?: object, token = accessToken) =>
    app.inject({
      method,
      url: `/api/v1/suppression${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    });
  const entries = [{ email: "a@x.test" }];
  for (let made = 0; made < 4; made++) expect((await change("POST", "/import", { entries })).statusCode).toBe(200);
  expect((await change("POST", "", { email: "b@x.test" })).statusCode).toBe(201);
  const refused = await change("POST", "/import", { entries });
  expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "1"]);
  expect(refused.json().error).toMatchObject({
    code: "RATE_LIMIT_EXCEEDED",
    message: expect.stringContaining("100 a second, 3000 a minute). This request counts as 20."),
  });
  expect((await change("DELETE", "/b%40x.test")).statusCode).toBe(200);
  for (let made = 0; made < 18; made++) readLimits.countWrite(accountId, 1);
  for (const answer of [change("DELETE", "/b%40x.test"), change("POST", "", { email: "b@x.test" })]) {
    expect((await answer).statusCode).toBe(429);
  }
  expect((await change("POST", "/import", { entries }, other.accessToken)).statusCode).toBe(200);
  const list = await app.inject({ url: "/api/v1/suppression", headers: { authorization: `Bearer ${accessToken}` } });
  expect(list.statusCode).toBe(200);
});

test.for([1, 2, 3, 4, 5, 10, 20])(
  "all accounts use four fifths of a pool of %i, rounded down, and at least one connection",
  async (poolSize) => {
    const limits = createReadLimits(poolSize);
    const { promise: over, resolve: end } = Promise.withResolvers<never[]>();
    let running = 0;
    const slow = {
      query: () => {
        running += 1;
        return over;
      },
    };
    const reads = Array.from({ length: 100 }, (_, index) =>
      limits
        .limit({ accountId: `account ${index}`, actor: systemActor, ...slow })
        .query({ name: "slow", text: "select" }),
    );
    expect(running).toBe(Math.max(1, Math.floor(poolSize * 0.8)));
    end([]);
    await Promise.all(reads);
  },
);

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
