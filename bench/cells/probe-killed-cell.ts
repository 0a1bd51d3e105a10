import { setTimeout as sleep } from "node:timers/promises";
import type { TestSender } from "../../service/proofs/sends/sending-client.ts";
import { errorBody } from "../../service/src/api/http/error-response.ts";
import { AppError } from "../../service/src/errors.ts";

/** The default of PUBLIC_URL in deploy/cells/haproxy.cfg. */
const publicUrl = "https://mail.acme.io";
const everyMs = 200;

export interface KilledCellAnswers {
  requests: number;
  slowestMs: number;
  /** Answers other than a 503 with exactly the body of the API. */
  wrong: string[];
}

/** Sends requests with keys of the killed cell for `seconds` and checks each answer. */
export async function probeKilledCell(url: string, senders: TestSender[], seconds: number): Promise<KilledCellAnswers> {
  const found: KilledCellAnswers = { requests: 0, slowestMs: 0, wrong: [] };
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(everyMs)) {
    const sender = senders[found.requests % senders.length];
    const startedAt = performance.now();
    const problem = await problemOf(url, sender).catch((error: unknown) => `no answer: ${String(error)}`);
    found.requests += 1;
    found.slowestMs = Math.max(found.slowestMs, performance.now() - startedAt);
    if (problem !== undefined) found.wrong.push(problem);
  }
  return found;
}

async function problemOf(url: string, sender: TestSender | undefined): Promise<string | undefined> {
  const answer = await fetch(`${url}/api/v1/send`, {
    method: "POST",
    headers: { "x-api-key": sender?.key ?? "", "content-type": "application/json" },
    body: JSON.stringify({ from: sender?.from, to: ["jane@example.io"], subject: "Hello", text: "Hi" }),
    signal: AbortSignal.timeout(15_000),
  });
  const text = await answer.text();
  const { status, headers } = answer;
  if (status !== 503) return `status ${status}`;
  if (!/^\d+$/.test(headers.get("retry-after") ?? "")) return "no Retry-After";
  const { message }: { message: string } = JSON.parse(text).error;
  const requestId = headers.get("x-request-id") ?? "";
  const expected = JSON.stringify(errorBody(new AppError("UNAVAILABLE", message), requestId, publicUrl));
  return text === expected ? undefined : `body ${text}`;
}
