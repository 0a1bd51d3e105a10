import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

export interface PostedSend {
  status: number;
  id: string | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** A careful client's; longer than the service may take for an honest answer. */
const patienceMs = 15_000;

/** Rejects when there is no whole answer. */
export function postSend(url: string, key: string, body: object): Promise<PostedSend> {
  const payload = JSON.stringify(body);
  const headers = {
    "x-api-key": key,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(patienceMs);
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
