import { afterAll, beforeAll, expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, queueRow, sendRow } from "../../test/send-rows.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { readConfig } from "../config.ts";
import { type Hints, openHints } from "../db/hints.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { startSandbox } from "./start-sandbox.ts";

const api = useTestApi();
let hints: Hints | undefined;
let sandbox: { stop(): Promise<void> } | undefined;

beforeAll(async () => {
  const config = readConfig(anEnvironment({ DATABASE_URL: api.database.url }));
  const log = createLog("silent");
  hints = openHints({ directUrl: api.database.url, log });
  sandbox = await startSandbox({ config, db: api.database.db, hints, log, metrics: createMetrics() });
});
afterAll(async () => {
  await sandbox?.stop();
  await hints?.close();
});

async function aTestKey(): Promise<{ key: string; accessToken: string }> {
  const { accountId, accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type: "test" });
  return { key, accessToken };
}

async function send(key: string, to: string) {
  const body = { from: "Acme <hello@sandbox.test>", to: [to], subject: "Hi", text: "Hi" };
  return (await api.call({ method: "POST", path: "/api/v1/send", key, body })).json();
}

async function recordOf(key: string, id: string) {
  return (await api.call({ method: "GET", path: `/api/v1/send/${id}/status`, key })).json();
}

const outcomes = [
  ["delivered", "delivered", null, "Delivery"],
  ["bounced", "bounced", null, "Bounce"],
  ["soft-bounced", "bounced", null, "Bounce"],
  ["complained", "complained", null, "Complaint,Delivery"],
  ["rejected", "failed", "PROVIDER_REJECTED", ""],
  ["throttled", "delivered", null, "Delivery"],
  ["unknown", "delivered", null, "Delivery"],
  ["duplicated", "delivered", null, "Delivery"],
  ["reordered", "complained", null, "Complaint,Delivery"],
  ["late-bounce", "bounced", null, "Bounce,Delivery"],
] as const;

test.concurrent.for(outcomes)(
  "mail to %s@sandbox.test ends as %s (error %s), with the events: %s",
  async ([name, status, code, events], { expect: expectHere }) => {
    const { key, accessToken } = await aTestKey();
    const { id } = await send(key, `${name}+label@sandbox.test`);
    await expectHere.poll(async () => (await recordOf(key, id)).status, { timeout: 15_000 }).toBe(status);
    expectHere((await recordOf(key, id)).error_code).toBe(code);
    await expectHere.poll(async () => (await eventTypesOf(accessToken, id)).join(","), { timeout: 5_000 }).toBe(events);
  },
);

test("an address with a permanent bounce is suppressed for test mail, and the next mail to it is not sent", async () => {
  const { key, accessToken: token } = await aTestKey();
  const { id } = await send(key, "bounced@sandbox.test");
  await expect.poll(async () => (await recordOf(key, id)).status, { timeout: 15_000 }).toBe("bounced");
  expect(await send(key, "bounced@sandbox.test")).toMatchObject({
    status: "suppressed",
    suppressed_recipients: ["bounced@sandbox.test"],
  });
  const listed = async (query: string) =>
    (await api.call({ method: "GET", path: `/api/v1/suppression${query}`, token })).json().data;
  expect(await listed("?mode=test")).toMatchObject([{ email: "bounced@sandbox.test", reason: "hard_bounce" }]);
  expect(await listed("?mode=live")).toEqual([]);
});

test("live mail from sandbox.test is refused", async () => {
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, await anAccount(api.database.db));
  const body = { from: "hello@sandbox.test", to: ["jane@example.io"], subject: "Hi", text: "Hi" };
  expect((await api.call({ method: "POST", path: "/api/v1/send", key, body })).status).toBe(400);
});

test("test mail whose worker crashed is sent again after IN_DOUBT_SECONDS, without reports of other test mail", async () => {
  const { db } = api.database;
  const accountId = await anAccount(db);
  await change(
    db,
    "update feedback_progress set last_report_at = null, reported_submission_at = null, queue_empty_at = null where mode = 'test'",
  );
  await change(db, "update provider_state set operator_held_since = now() where mode = 'test'");
  const aSendInDoubt = async (secondsAgo: number) => {
    const id = await aQueuedSend(db, {
      accountId,
      mode: "test",
      fromDomain: "sandbox.test",
      to: ["delivered@sandbox.test"],
    });
    const since =
      "update send_queue set state = 'in-doubt', attempt = 1, due_at = now() - make_interval(secs => $2) where id = $1";
    await change(db, since, [id, secondsAgo]);
    return id;
  };
  const [waited, waiting] = [await aSendInDoubt(121), await aSendInDoubt(60)];
  await change(db, "update provider_state set operator_held_since = null where mode = 'test'");
  await expect.poll(async () => (await sendRow(db, waited))?.status, { timeout: 10_000 }).toBe("delivered");
  expect(await queueRow(db, waiting)).toMatchObject({ state: "in-doubt" });
});

async function eventTypesOf(token: string, id: string): Promise<string[]> {
  const path = `/api/v1/events?mode=test&email_id=${id}`;
  const { data } = (await api.call({ method: "GET", path, token })).json();
  return data.events.map((event: { event_type: string }) => event.event_type).toSorted();
}
