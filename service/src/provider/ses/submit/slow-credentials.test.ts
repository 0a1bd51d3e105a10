import { setTimeout as sleep } from "node:timers/promises";
import { SESv2Client } from "@aws-sdk/client-sesv2";
import { expect, test } from "vitest";
import { anEndpoint } from "../../../../test/an-endpoint.ts";
import { aMail } from "../../../../test/email-provider-contract.ts";
import { clientSettings } from "../client-settings.ts";
import { submit } from "./submit.ts";

const credentials = { accessKeyId: "simulator", secretAccessKey: "simulator" };
const always = () => true;

/** Returns a client whose credentials come from `source`, called with the number of calls so far. */
async function aClient(source: (call: number) => Promise<typeof credentials>) {
  const server = await anEndpoint(() => ({ status: 200, body: '{"MessageId":"0100"}' }));
  const timeouts = { connectMs: 500, requestMs: 2_000, idleMs: 500 };
  const settings = clientSettings({ service: "email", region: "eu-central-1", endpoint: server.url, timeouts });
  let calls = 0;
  // The SDK remembers credentials that never expire, and asks again for those that do.
  const provider = async () => ({ ...(await source(++calls)), expiration: new Date() });
  return { server, client: new SESv2Client({ ...settings, credentials: provider }) };
}

test("credentials that hang before the request end as try later with an operator hold, and nothing is sent", async () => {
  const { server, client } = await aClient(async () => {
    await sleep(600);
    return credentials;
  });
  const answer = await submit(client, aMail(), { timeoutMs: 2_000, credentialsMs: 100, mayStart: always });
  expect(answer).toMatchObject({ kind: "try-later", hold: "operator", message: expect.stringContaining("Timeout") });
  await sleep(800);
  expect(server.requests()).toBe(0);
});

test("credentials that hang while the request is signed end as not started, and nothing is sent when they arrive", async () => {
  const { server, client } = await aClient(async (call) => {
    if (call > 1) await sleep(600);
    return credentials;
  });
  const answer = await submit(client, aMail(), { timeoutMs: 200, mayStart: always });
  expect(answer).toMatchObject({ kind: "not-started" });
  await sleep(800);
  expect(server.requests()).toBe(0);
});

test("a request whose lease ends while credentials load does not start", async () => {
  let isLeased = true;
  const { server, client } = await aClient(async () => {
    await sleep(50);
    isLeased = false;
    return credentials;
  });
  const answer = await submit(client, aMail(), { timeoutMs: 2_000, mayStart: () => isLeased });
  expect(answer).toMatchObject({ kind: "not-started" });
  expect(server.requests()).toBe(0);
});

test("credentials that fail while the request is signed are tried later: nothing was sent", async () => {
  const { server, client } = await aClient(async (call) => {
    if (call > 2) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    return credentials;
  });
  const answer = await submit(client, aMail(), { timeoutMs: 2_000, mayStart: always });
  expect(answer).toMatchObject({ kind: "try-later", hold: undefined });
  expect(server.requests()).toBe(0);
});

test("a request that may start is sent once", async () => {
  const { server, client } = await aClient(async () => credentials);
  expect(await submit(client, aMail(), { timeoutMs: 2_000, mayStart: always })).toMatchObject({ kind: "accepted" });
  expect(server.requests()).toBe(1);
});
