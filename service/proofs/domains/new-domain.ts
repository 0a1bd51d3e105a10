import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProofTools } from "../../../scripts/proof.ts";
import { createSesProvider } from "../../src/provider/ses/ses-provider.ts";
import { testConfigurationSet } from "../../test/domain-fixture.ts";
import type { PosternProcess } from "../../test/spawn-postern.ts";

export const withinSeconds = 60;

export async function createSet(endpoint: string, region: string): Promise<void> {
  const provider = createSesProvider({ region, endpoint, accountId: "000000000000", partition: "aws" });
  await provider.createConfigurationSet(testConfigurationSet);
}

interface Answer {
  domain_id: number;
  verification_status?: string;
  dns_records: { type: string; name: string; value: string }[];
}

interface Registration {
  api: PosternProcess;
  accessToken: string;
  publish(name: string, ...records: string[]): Promise<void>;
  isFull: boolean;
}

/** The route tests check that the API returns this published shape. */
async function answerIn(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

/** Registers, publishes the four records and polls until the domain is verified. Returns the seconds. */
export async function registerAndWait(
  { api, accessToken, publish, isFull }: Registration,
  progress: ProofTools["progress"],
): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
  const body = JSON.stringify({ domain_name: `new-${randomBytes(5).toString("hex")}.io` });
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let registered = await fetch(`${api.url}/api/v1/domains`, { method: "POST", headers, body });
  // 503: too many changes of other accounts are waiting.
  while (registered.status === 503 && seconds() < withinSeconds) {
    await sleep(1000);
    registered = await fetch(`${api.url}/api/v1/domains`, { method: "POST", headers, body });
  }
  if (registered.status === 503) return undefined;
  if (registered.status !== 201) throw new Error(`registering was answered with ${registered.status}`);
  const { domain_id: id, dns_records: records } = await answerIn(registered);
  for (const { type, name, value } of records)
    await publish(name, type === "TXT" ? `TXT "${value}"` : `CNAME ${value}.`);
  if (!isFull) {
    await sleep(1500);
    await fetch(`${api.url}/api/v1/domains/${id}/verify`, { method: "POST", headers });
  }

  for (;;) {
    const answer = await answerIn(await fetch(`${api.url}/api/v1/domains/${id}`, { headers }));
    if (answer.verification_status === "Success") return seconds();
    if (seconds() > withinSeconds) return undefined;
    progress(`the new domain is ${answer.verification_status} after ${Math.round(seconds())} s`);
    await sleep(250);
  }
}

export async function stopAll(processes: PosternProcess[]): Promise<void> {
  for (const { kill, exited } of processes) {
    kill("SIGTERM");
    await exited;
  }
}
