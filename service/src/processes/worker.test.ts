import { randomBytes } from "node:crypto";
import { expect, inject, onTestFinished, test } from "vitest";
import { aLogin, anAccount } from "../../test/builders.ts";
import { openDomainFixture } from "../../test/domain-fixture.ts";
import { useKnotServer } from "../../test/knot-server.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { sendRow } from "../../test/send-rows.ts";
import { type PosternProcess, spawnPostern } from "../../test/spawn-postern.ts";
import { copyTemplate, openTestDatabase } from "../../test/template-database.ts";
import { anEnvironment, simulatorSettings } from "../../test/test-config.ts";
import { useSesSimulator } from "../../test/use-ses-simulator.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Environment, readConfig } from "../config.ts";
import { dnsRecordsOf } from "../domains/domain.ts";
import { findDomain } from "../domains/domain-store.ts";
import { registerDomain } from "../domains/register-domain.ts";
import { createCredentialDeps } from "./api-deps.ts";

const ses = useSesSimulator();
const knot = useKnotServer("io");
const database = useTestDatabase();

test("a worker process verifies a domain that has its records, and ends with code 0 on SIGTERM", async () => {
  const environment = anEnvironmentWithAws();
  const deps = await openDomainFixture(database.db, database.url, ses.simulator);
  onTestFinished(() => deps.locks.close());
  const { accountId } = await aLogin(database.db, createCredentialDeps(readConfig(environment)).loginDeps);
  const domain = await registerDomain(deps, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
  const [proof] = dnsRecordsOf(domain);
  await knot.publish(proof?.name ?? "", `TXT "${proof?.value}"`);
  await ses.control("POST", `identities/${domain.domainName}/verification`, { status: "SUCCESS" });

  const worker = await startWorker(environment);
  await expect
    .poll(async () => (await findDomain(database.db.forAccount(accountId), domain.id))?.verificationStatus, {
      timeout: 15_000,
    })
    .toBe("Success");
  expect(await worker.logged("domain.checked")).toMatchObject({
    domain_id: domain.id,
    previous_status: "Pending",
    status: "Success",
  });
  const health = await fetch(`${worker.operationsUrl}/health`);
  expect(health.status).toBe(200);
  worker.kill("SIGTERM");
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});

test("the first worker process of a database creates missing partitions when it starts", async () => {
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  onTestFinished(drop);
  const db = openTestDatabase(url);
  const [newest] = await db.query<{ name: string }>({
    name: "newest-partition-of-events",
    text: "select name from partition_ranges where parent = 'events' order by ends_at desc nulls last limit 1",
  });
  await db.query({ name: "drop-newest", text: `drop table ${newest?.name}` });
  await db.close();
  const worker = await startWorker({ ...anEnvironmentWithAws(), DATABASE_URL: url });
  expect(await worker.logged("partitions.made")).toMatchObject({ partitions: [newest?.name] });
});

test.for([
  ["on", true],
  ["prepare", false],
] as const)(
  "with SES_TENANTS=%s it makes the tenant of an account, and its mail names it: %s",
  async ([setting, isNamed]) => {
    const deps = await openDomainFixture(database.db, database.url, ses.simulator);
    onTestFinished(() => deps.locks.close());
    const accountId = await anAccount(database.db);
    const fromDomain = await aVerifiedDomain(database.db, accountId);
    await deps.provider.createIdentity(fromDomain, deps.configurationSetName);
    await ses.control("POST", `identities/${fromDomain}/verification`, { status: "SUCCESS" });
    const id = await aQueuedSend(database.db, { accountId, fromDomain });
    const worker = await startWorker({ ...anEnvironmentWithAws(), SES_TENANTS: setting });
    expect(await worker.logged("tenants.attached")).toMatchObject({ left: 0 });
    await expect.poll(async () => (await sendRow(database.db, id))?.status, { timeout: 15_000 }).toBe("sent");
    const { records } = await ses.control("GET", `ledger?tag=send_id:${id}`);
    expect(records).toHaveLength(1);
    expect(records[0].tenantName).toBe(isNamed ? `postern-AA-${accountId}` : undefined);
  },
);

test("without AWS it delivers test mail, logs the command that enables live mail, and claims no live mail", async () => {
  const accountId = await anAccount(database.db);
  const content = { accountId, fromDomain: "sandbox.test", to: ["delivered@sandbox.test"] };
  const keys = readConfig(anEnvironmentWithAws()).secrets.contentKey;
  const [live, sandboxed] = [
    await aQueuedSend(database.db, { ...content, keys }),
    await aQueuedSend(database.db, { ...content, keys, mode: "test" }),
  ];
  const worker = await startWorker({ ...anEnvironmentWithAws(), AWS_FEEDBACK_TOPIC_ARN: undefined });
  expect(await worker.logged("aws.not-set-up")).toMatchObject({ run: "postern aws setup" });
  await expect.poll(async () => (await sendRow(database.db, sandboxed))?.status, { timeout: 10_000 }).toBe("delivered");
  expect(await sendRow(database.db, live)).toMatchObject({ status: "queued" });
});

function anEnvironmentWithAws(): Environment {
  return anEnvironment({
    DATABASE_URL: database.url,
    DNS_SERVERS: knot.address,
    ...simulatorSettings(ses),
    LOG_LEVEL: "info",
  });
}

async function startWorker(environment: Environment): Promise<PosternProcess> {
  const worker = await spawnPostern("worker", environment);
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await worker.exited;
  });
  return worker;
}

test("a worker starts without the secrets of the API, and warns about a short wait for evidence", async () => {
  const endpoints = { AWS_ENDPOINT_URL_SESV2: "", AWS_ENDPOINT_URL_SNS: "", AWS_ENDPOINT_URL_SQS: "" };
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  onTestFinished(drop);
  const worker = await startWorker({
    ...anEnvironment({ DATABASE_URL: url, ...endpoints, LOG_LEVEL: "info" }),
    POSTERN_PROVIDER: "ses",
    IN_DOUBT_SECONDS: "90",
    API_KEY_PEPPER: undefined,
    TOKEN_SIGNING_KEY: undefined,
  });
  expect(await worker.logged("delivery.short-in-doubt-wait")).toMatchObject({ seconds: 90, recommended: 120 });
  expect(await worker.logged("worker.started")).toMatchObject({ mode: "test mail only" });
});
