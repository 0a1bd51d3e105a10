import { join } from "node:path";
import { aLogin, anApiKey } from "../../service/test/builders.ts";
import { liftDomainLimits } from "../../service/test/domain-fixture.ts";
import { startKnot } from "../../service/test/knot-server.ts";
import { type ChaosCell, openCell } from "../cell/chaos-cell.ts";
import { inDoubtSettings } from "../cell/waiting-times.ts";
import type { Acknowledged } from "../load/load-plan.ts";
import { postSend } from "../load/post-send.ts";

export interface MatrixContext {
  cell: ChaosCell;
  /** The file to which a process writes its pid and crash point before it kills itself. */
  crashLog: string;
  dns: Awaited<ReturnType<typeof startKnot>>;
  sends: Acknowledged[];
  testSends: Acknowledged[];
  domains: { name: string; end: "registered" | "verified" | "gone" }[];
  testKey: string;
  close(): Promise<void>;
}

/** One cell for all crash points: a healthy API, and no worker except those that will crash. */
export async function openMatrixContext(folder: string): Promise<MatrixContext> {
  const dns = await startKnot("io");
  const environment = { DNS_SERVERS: dns.address, ...inDoubtSettings("on") };
  const cell = await openCell({ folder, apis: 1, workers: 0, environment });
  // SES permits one control call per second; the matrix does not test this limit, so it lifts it.
  await cell.db.query({ name: "lift-control-call-limit", text: `update control_budget set spacing = '1 microsecond'` });
  await liftDomainLimits(cell.db);
  const { key: testKey } = await anApiKey(cell.db, cell.credentialDeps.apiKeyIssuer, firstAccount(cell), {
    type: "test",
  });
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

/** Sends through the healthy API. With `crashingUrl` it sends to the crashing API first. */
export async function sendMail(context: MatrixContext, key: string, crashingUrl?: string): Promise<void> {
  const [sender] = context.cell.senders;
  const to = [`success+${key}@simulator.amazonses.com`];
  const attachments = [{ filename: "chaos.txt", content: Buffer.from(key).toString("base64") }];
  const body = { from: sender?.from, to, subject: "Chaos", text: key, attachments, idempotency_key: key };
  const post = (url: string) => postSend(url, sender?.key ?? "", body);
  if (crashingUrl !== undefined) await post(crashingUrl).catch(() => undefined);
  context.sends.push(acknowledged(key, await post(context.cell.apiUrls[0] ?? "")));
}

export async function sendTestMail(context: MatrixContext, key: string): Promise<void> {
  const to = [`delivered+${key}@sandbox.test`];
  const body = { from: "hello@sandbox.test", to, subject: "Chaos", text: key, idempotency_key: key };
  context.testSends.push(acknowledged(key, await postSend(context.cell.apiUrls[0] ?? "", context.testKey, body)));
}

function acknowledged(key: string, { status, id }: { status: number; id: string | undefined }): Acknowledged {
  if (status !== 202 || id === undefined) throw new Error(`a send was answered with ${status}`);
  return { id, key, at: Date.now(), api: 0, tookMs: 0 };
}

interface DomainAnswer {
  status: number;
  body: { domain_id?: number; dns_records?: { type: string; name: string; value: string }[] };
}

/** Rejects when the API crashes. */
export async function askForDomain(
  { cell }: MatrixContext,
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<DomainAnswer> {
  const { accessToken } = await aLogin(cell.db, cell.credentialDeps.loginDeps, { accountId: firstAccount(cell) });
  const answer = await fetch(`${url}/api/v1/domains${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as DomainAnswer["body"] }; // The published response.
}
