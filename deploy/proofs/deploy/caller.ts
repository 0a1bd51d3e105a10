import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../service/proofs/until.ts";
import { longestWaitSeconds } from "./steps.ts";

/** A customer's program. It calls another API of the same installation when one does not answer, as a proxy would. */
export interface Caller {
  urls: string[];
  headers: Record<string, string>;
}

interface Mails {
  count: number;
  from: string;
  to: string;
  /** Distinguishes the idempotency keys of several rounds. */
  round: string;
  pauseMs?: number;
}

/** Sends with idempotency keys, so that a repeated request is safe. Returns one id for each mail. */
export async function sendMails(caller: Caller, { count, from, to, round, pauseMs = 0 }: Mails): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const mail = { from, to: [to], subject: `Mail ${number}`, text: "Hi", idempotency_key: `${round}-${number}` };
    const { id } = await call(caller, "/api/v1/send", mail);
    ids.push(String(id));
    await sleep(pauseMs);
  }
  return ids;
}

export async function waitForStatus(caller: Caller, ids: string[], status: string) {
  const left = new Set(ids);
  await until(
    `${ids.length} mails are ${status}`,
    longestWaitSeconds,
    async () => {
      for (const id of left) {
        const answer = await call(caller, `/api/v1/send/${id}/status`);
        if (answer.status !== status) return false;
        left.delete(id);
      }
      return true;
    },
    200,
  );
}

/** Repeats a request: a restart or a kill takes seconds, and only one of several APIs. */
export async function call(caller: Caller, path: string, body?: object): Promise<Record<string, unknown>> {
  const { urls, headers } = caller;
  const post = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...headers, "content-type": "application/json" },
  };
  const deadline = performance.now() + longestWaitSeconds * 1000;
  for (let attempt = 0; ; attempt++) {
    const answer = await request(`${urls[attempt % urls.length]}${path}`, body === undefined ? { headers } : post);
    if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.text);
    const isFinal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
    if (isFinal || performance.now() > deadline) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    await sleep(200);
  }
}

/** Status 0 means that no answer arrived. */
async function request(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error instanceof Error ? (error.cause ?? error) : error) };
  }
}
