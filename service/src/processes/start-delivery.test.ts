import { expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { openDomainFixture } from "../../test/domain-fixture.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { attemptsOf, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { type PosternProcess, spawnPostern } from "../../test/spawn-postern.ts";
import { anEnvironment, simulatorSettings } from "../../test/test-config.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount, releaseAccount } from "../accounts/account-store.ts";
import { type Environment, readConfig } from "../config.ts";
import { createHint } from "../db/hints.ts";
import { sendQueuedChannel } from "../queue/claim-sends.ts";
import { holdByOperator, releaseByOperator } from "../queue/operator-hold.ts";

const ses = useSesSimulator();
const database = useTestDatabase();
useEmptyQueue(database);

test("a worker process submits a queued send, and the record holds the SES message id", async () => {
  const { environment, queue } = await aCell();
  const worker = await startWorker(environment);
  const id = await queue();
  createHint(database.db, sendQueuedChannel.live)();
  await expect.poll(async () => (await sendRow(database.db, id))?.status, { timeout: 10_000 }).toBe("sent");
  const { records } = await ses.control("GET", `ledger?tag=send_id:${id}`);
  expect(await sendRow(database.db, id)).toMatchObject({ providerMessageId: records[0].messageId });
  expect(records[0].tags).toMatchObject({ send_id: [id], attempt: ["1"] });
  const facts = { send_id: id, attempt: 1, outcome: "accepted", status: "sent", request_id: expect.any(String) };
  expect(await worker.logged("delivery.attempted")).toMatchObject(facts);
  const metrics = await (await fetch(`${worker.operationsUrl}/metrics`)).text();
  expect(metrics).toContain('postern_sends_settled_total{status="sent"} 1');
  expect(metrics).toContain('postern_submit_seconds_count{outcome="accepted"} 1');
});

test("mail on hold, for all accounts or for one, is sent after the release and not before", async () => {
  const { environment, queue, accountId } = await aCell();
  const worker = await startWorker(environment);
  await holdByOperator(database.db, undefined);
  await holdAccount(database.db, accountId, undefined);
  const id = await queue();
  await releaseByOperator(database.db);
  await expect.poll(async () => (await queueRow(database.db, id))?.state, { timeout: 5_000 }).toBe("parked");
  await releaseAccount(database.db, accountId);
  await expect.poll(async () => (await sendRow(database.db, id))?.status, { timeout: 5_000 }).toBe("sent");
  expect(await worker.logged("delivery.unparked")).toMatchObject({ mode: "live", count: 1 });
  expect(await attemptsOf(database.db, id)).toEqual([]);
});

test("on SIGTERM a submission in progress is finished and settled, and other sends stay queued", async () => {
  const { environment, queue } = await aCell();
  const worker = await startWorker({ ...environment, DELIVERY_SLOTS: "1" });
  await ses.control("POST", "rules", { times: 1, fault: { kind: "slow-body", seconds: 2 } });
  const { accepted: before } = await ses.control("GET", "health");
  const [first, second] = [await queue(0), await queue(1)];
  await expect.poll(async () => (await ses.control("GET", "health")).accepted, { timeout: 10_000 }).toBe(before + 1);
  worker.kill("SIGTERM");
  expect(await worker.exited).toEqual({ code: 0, signal: null });
  expect(await sendRow(database.db, first)).toMatchObject({ status: "sent" });
  expect(await attemptsOf(database.db, first)).toEqual([]);
  expect(await queueRow(database.db, second)).toMatchObject({ state: "ready", attempt: 0 });
  expect((await ses.control("GET", "health")).accepted).toBe(before + 1);
});

async function aCell() {
  const environment = anEnvironment({
    DATABASE_URL: database.url,
    ...simulatorSettings(ses),
    LOG_LEVEL: "info",
  });
  const deps = await openDomainFixture(database.db, database.url, ses.simulator);
  onTestFinished(() => deps.locks.close());
  const accountId = await anAccount(database.db);
  await database.db.query({ name: "delete-domain", text: "delete from domains where domain_name = 'shop.test'" });
  const fromDomain = await aVerifiedDomain(database.db, accountId, "shop.test");
  const keys = readConfig(environment).secrets.contentKey;
  const queue = (fairInSeconds = 0) => aQueuedSend(database.db, { accountId, fromDomain, keys, fairInSeconds });
  return { environment, queue, accountId };
}

async function startWorker(environment: Environment): Promise<PosternProcess> {
  const worker = await spawnPostern("worker", environment);
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await worker.exited;
  });
  return worker;
}
