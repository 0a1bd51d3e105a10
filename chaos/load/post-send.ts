import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

export interface PostedSend {
  status: number;
  id: string | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** Longer than the API takes for any answer. */
const timeoutMs = 15_000;

/** Rejects when the answer is missing or incomplete. */
export function postSend(url: string, key: string, body: object): Promise<PostedSend> {
  const payload = JSON.stringify(body);
  const headers = {
    "x-api-key": key,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = request(`${url}/api/v1/send`, { method: "POST", agent, headers, signal }, (answer) => {
      text(answer).then((content) => {
        const id: unknown = JSON.parse(content).id;
        resolve({ status: answer.statusCode ?? 0, id: typeof id === "string" ? id : undefined });
      }, reject);
    });
    outgoing.on("error", reject);
    outgoing.end(payload);
  });
}
