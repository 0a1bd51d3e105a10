import assert from "node:assert/strict";
import type { TestSender } from "../../../service/proofs/sends/sending-client.ts";
import { startProxyOfOneCell } from "../proxy-of-one-cell.ts";
import { type Answered, startConstantLoad } from "../restart/constant-load.ts";
import type { Caller } from "./caller.ts";
import type { Compose } from "./operator.ts";

const published: [string, string] = ["127.0.0.1:3000", "127.0.0.1:3010"];

/** Clients that never repeat a request, through HAProxy on the machine, while both containers are made anew, one after the other. */
export async function expectLosslessRestart(compose: Compose, test: Caller): Promise<void> {
  const proxy = await startProxyOfOneCell(published);
  try {
    const answered = await restartUnderLoad(`http://127.0.0.1:${proxy.port}`, compose, test, ["api-1", "api-2"]);
    assert.deepEqual(answered.failures, []);
    assert.ok(answered.requests > 500, `only ${answered.requests} requests`);
  } finally {
    await proxy.stop();
  }
}

/** The same without the proxy, which shows that the clients would notice. */
export async function expectFailuresWithoutProxy(compose: Compose, test: Caller): Promise<void> {
  const { failures } = await restartUnderLoad(`http://${published[0]}`, compose, test, ["api-1"]);
  assert.notEqual(failures.length, 0);
}

async function restartUnderLoad(url: string, compose: Compose, test: Caller, apis: string[]): Promise<Answered> {
  const load = startConstantLoad(url, senderOf(test));
  try {
    for (const api of apis) await compose(["up", "-d", "--wait", "--force-recreate", api]);
  } catch (error) {
    await load.stop();
    throw error;
  }
  return load.stop();
}

function senderOf({ headers }: Caller): TestSender {
  return { accountId: "", key: headers["x-api-key"] ?? "", from: "hello@sandbox.test" };
}
