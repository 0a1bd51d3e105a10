import { expect, onTestFinished, test } from "vitest";
import { anApiKey } from "../../test/builders.ts";
import { openDomainFixture } from "../../test/domain-fixture.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { spawnPostern } from "../../test/spawn-postern.ts";
import { anEnvironment, simulatorSettings } from "../../test/test-config.ts";
import { useSendingApi } from "../../test/use-sending-api.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { holdAccount, releaseAccount, resumeAccount, suspendAccount } from "../accounts/account-store.ts";
import type { Environment } from "../config.ts";
import { scenarioNames } from "../provider/sandbox/scenarios.ts";
import { holdByOperator, releaseByOperator } from "../queue/operator-hold.ts";
import { findFailed, retryFailed } from "../queue/retry-failed.ts";

const ses = useSesSimulator({ verifiedIdentities: ["shop.test", "sandbox.test"] });
const { api, aSender, send, statusOf } = useSendingApi();

const final = new Set(["delivered", "bounced", "complained", "failed", "suppressed"]);

/**
 * Tries everything that could make a worker submit test mail to SES:
 * 1. a worker with AWS, and sender domains that SES accepts;
 * 2. live mail of the same account with the same idempotency keys and recipients;
 * 3. requests with a test key that ask for live mode;
 * 4. a worker killed while it submits, and sends in doubt that are submitted again;
 * 5. holds, a suspension, and a retry of failed sends by an operator.
 */
test("mail of a test key is never submitted to SES, while live mail of the same account is", async () => {
  const sender = { ...(await aSender()), from: "orders@shop.test" };
  await aVerifiedDomain(api.database.db, sender.accountId, "shop.test");
  const deps = await openDomainFixture(api.database.db, api.database.url, ses.simulator);
  onTestFinished(() => deps.locks.close());
  const { key: testKey } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
  const live: string[] = [];
  const tests: string[] = [];
  const accept = async (into: string[], key: string, body: Record<string, unknown>) => {
    const answer = await send({ key, from: sender.from }, body);
    expect(answer.status).toBe(202);
    into.push(answer.json().id);
  };
  const both = async (body: Record<string, unknown>) => {
    await accept(live, sender.key, body);
    await accept(tests, testKey, body);
  };

  const killed = await aWorker({ DELIVERY_SLOTS: "2" });
  for (const name of scenarioNames) await accept(tests, testKey, { to: [`${name}@sandbox.test`] });
  for (const name of scenarioNames)
    await accept(tests, testKey, { from: "a@sandbox.test", to: [`${name}+2@sandbox.test`] });
  await both({
    to: ["jane@example.io"],
    cc: ["joe@example.io"],
    bcc: ["jim@example.io"],
    idempotency_key: "one-for-both",
  });
  killed.kill("SIGKILL");
  await killed.exited;
  await workerSessionsEnded();
  await makeDue("leased");

  const liveRequest = await api.call({
    method: "POST",
    path: "/api/v1/send?mode=live",
    key: testKey,
    headers: { "x-mode": "live" },
    body: { from: sender.from, to: ["asked@example.io"], subject: "Hi", text: "Hi" },
  });
  if (liveRequest.status === 202) tests.push(liveRequest.json().id);
  expect((await send({ key: testKey, from: sender.from }, { type: "live" })).status).toBe(422);

  await holdByOperator(api.database.db, undefined);
  await holdAccount(api.database.db, sender.accountId, undefined);
  await both({ to: ["held@example.io"] });
  const worker = await aWorker({ IN_DOUBT_SECONDS: "1", IN_DOUBT_MAX_SECONDS: "2" });
  await releaseByOperator(api.database.db);
  await suspendAccount(api.database.db, sender.accountId);
  await releaseAccount(api.database.db, sender.accountId);
  await resumeAccount(api.database.db, sender.accountId);
  await both({ to: ["after@example.io"] });

  const settled = async (ids: string[], key: string, isDone: (status: string) => boolean) => {
    for (const id of ids)
      await expect
        .poll(async () => isDone((await statusOf(id, { key })).json().status), { timeout: 40_000 })
        .toBe(true);
  };
  await settled(tests, testKey, (status) => final.has(status));
  expect(await retryRejected(sender.accountId)).toBe(2);
  await settled(tests, testKey, (status) => final.has(status));
  await settled(live, sender.key, (status) => status !== "queued" && status !== "processing");

  const { records } = await ses.control("GET", "ledger?limit=100");
  const submitted = records.map((record: { tags: { send_id: string[] } }) => record.tags.send_id[0]);
  expect(new Set(submitted)).toEqual(new Set(live));
  expect(live).toHaveLength(3);
  expect(await modesOf(tests)).toEqual(["test"]);
  worker.kill("SIGTERM");
  expect(await worker.exited).toEqual({ code: 0, signal: null });
}, 90_000);

async function aWorker(settings: Environment) {
  const worker = await spawnPostern(
    "worker",
    anEnvironment({
      DATABASE_URL: api.database.url,
      ...simulatorSettings(ses),
      LOG_LEVEL: "info",
      ...settings,
    }),
  );
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await worker.exited;
  });
  return worker;
}

async function retryRejected(accountId: string): Promise<number> {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const { failed } = await findFailed(api.database.db, { code: "PROVIDER_REJECTED", since, accountId }, undefined);
  const retries = failed.map(({ id }, position) => ({ id, fromDomain: "shop.test", position }));
  const retried = await retryFailed(api.database.db, "PROVIDER_REJECTED", retries);
  await makeDue("waiting");
  return retried.length;
}

/** The server completes a claim whose worker was killed: until then a lease can still begin. */
async function workerSessionsEnded(): Promise<void> {
  const text =
    "select from pg_stat_activity where datname = current_database() and application_name like 'postern-worker%'";
  const sessions = () => api.database.db.query({ name: "worker-sessions", text });
  await expect.poll(async () => (await sessions()).length, { timeout: 10_000 }).toBe(0);
}

/** Moves the due time of every send in this state to now. */
function makeDue(state: "leased" | "waiting") {
  const text = "update send_queue set due_at = now() where state = $1";
  return api.database.db.query({ name: "make-due", text, values: [state] });
}

async function modesOf(ids: string[]): Promise<string[]> {
  const text = "select distinct mode from sends where id = any ($1::uuid[])";
  const rows = await api.database.db.query<{ mode: string }>({ name: "modes-of", text, values: [ids] });
  return rows.map(({ mode }) => mode);
}
