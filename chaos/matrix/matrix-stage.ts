import { join } from "node:path";
import { aLogin, anApiKey } from "../../service/test/builders.ts";
import { startKnot } from "../../service/test/knot-server.ts";
import { type ChaosCell, openCell } from "../cell/chaos-cell.ts";
import { doubtSettings } from "../cell/waiting-times.ts";
import type { Acknowledged } from "../load/load-plan.ts";
import { postSend } from "../load/post-send.ts";

export interface MatrixStage {
  cell: ChaosCell;
  /** Where processes write their last words. */
  crashLog: string;
  dns: Awaited<ReturnType<typeof startKnot>>;
  sends: Acknowledged[];
  testSends: Acknowledged[];
  domains: { name: string; end: "registered" | "verified" | "gone" }[];
  testKey: string;
  close(): Promise<void>;
}

/** One cell for all points: an API that stays, and no worker but those that are to die. */
export async function openMatrixStage(folder: string): Promise<MatrixStage> {
  const dns = await startKnot("io");
  const environment = { DNS_SERVERS: dns.address, ...doubtSettings("on") };
  const cell = await openCell({ folder, apis: 1, workers: 0, environment });
  // Registering waits for turns of SES's one request a second; what is tried here is something else.
  await cell.db.query({ name: "free-turns", text: `update control_budget set spacing = '1 microsecond'` });
  const { key: testKey } = await anApiKey(cell.db, cell.allDeps.apiKeyIssuer, firstAccount(cell), { type: "test" });
  return {
    cell,
    crashLog: join(folder, "crashes"),
    dns,
    sends: [],
    testSends: [],
    domains: [],
    testKey,
    async close() {
      await cell.close();
      await dns.stop();
    },
  };
}

function firstAccount({ senders }: ChaosCell): string {
  return senders[0]?.accountId ?? "";
}

/** Through the API that stays, or first through one that dies of it. */
export async function sendMail(stage: MatrixStage, key: string, dyingUrl?: string): Promise<void> {
  const [sender] = stage.cell.senders;
  const to = [`success+${key}@simulator.amazonses.com`];
  const body = { from: sender?.from, to, subject: "Chaos", text: key, idempotency_key: key };
  const post = (url: string) => postSend(url, sender?.key ?? "", body);
  if (dyingUrl !== undefined) await post(dyingUrl).catch(() => undefined);
  stage.sends.push(acknowledged(key, await post(stage.cell.apiUrls[0] ?? "")));
}

export async function sendTestMail(stage: MatrixStage, key: string): Promise<void> {
  const to = [`delivered+${key}@sandbox.test`];
  const body = { from: "hello@sandbox.test", to, subject: "Chaos", text: key, idempotency_key: key };
  stage.testSends.push(acknowledged(key, await postSend(stage.cell.apiUrls[0] ?? "", stage.testKey, body)));
}

function acknowledged(key: string, { status, id }: { status: number; id: string | undefined }): Acknowledged {
  if (status !== 202 || id === undefined) throw new Error(`a send was answered with ${status}`);
  return { id, key, at: Date.now(), api: 0 };
}

interface DomainAnswer {
  status: number;
  body: { domain_id?: number; dns_records?: { type: string; name: string; value: string }[] };
}

/** Rejects when the API dies of it. */
export async function askForDomain(
  { cell }: MatrixStage,
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<DomainAnswer> {
  const { accessToken } = await aLogin(cell.db, cell.allDeps.loginDeps, { accountId: firstAccount(cell) });
  const answer = await fetch(`${url}/api/v1/domains${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as DomainAnswer["body"] }; // The published answer.
}
