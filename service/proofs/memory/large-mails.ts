import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestSender } from "../sends/sending-client.ts";

export interface LargeMails {
  /** Sends the largest mail until it is accepted; after a 503 when the answer says so. */
  sendOne(sender: TestSender): Promise<void>;
  counts: { accepted: number; refused: number; withoutRetryAfter: number; broken: number; others: number };
  close(): void;
}

const maxTries = 600;

/** The body is written once for each sender, so that this process costs the machine little. */
export function createLargeMails(url: string, attachmentBytes: number): LargeMails {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const counts = { accepted: 0, refused: 0, withoutRetryAfter: 0, broken: 0, others: 0 };
  const content = Buffer.alloc(attachmentBytes, "a large mail ").toString("base64");
  const bodies = new Map<string, Buffer>();

  function bodyOf({ from, key }: TestSender): Buffer {
    const attachments = [{ filename: "large.bin", content }];
    const mail = { from, to: ["jane@example.io"], subject: "Large", text: "Hi", attachments };
    const body = bodies.get(key) ?? Buffer.from(JSON.stringify(mail));
    bodies.set(key, body);
    return body;
  }

  function post(sender: TestSender): Promise<{ status: number; retryAfter: number | undefined }> {
    const body = bodyOf(sender);
    const headers = { "x-api-key": sender.key, "content-type": "application/json", "content-length": body.length };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}/api/v1/send`, { method: "POST", agent, headers }, (answer) => {
        const retryAfter = answer.headers["retry-after"];
        answer.resume().on("end", () => {
          // The server has answered before it read all of it.
          if (!outgoing.writableFinished) outgoing.destroy();
          resolve({
            status: answer.statusCode ?? 0,
            retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
          });
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  return {
    counts,
    async sendOne(sender) {
      for (let tries = 0; tries < maxTries; tries++) {
        const answer = await post(sender).catch(() => undefined);
        if (answer?.status === 202) {
          counts.accepted += 1;
          return;
        }
        if (answer === undefined) counts.broken += 1;
        else if (answer.status !== 503) counts.others += 1;
        else if (answer.retryAfter === undefined) counts.withoutRetryAfter += 1;
        else counts.refused += 1;
        await sleep((answer?.retryAfter ?? 1) * 1000 * (0.5 + Math.random()));
      }
      throw new Error("a large mail was refused for too long");
    },
    close: () => agent.destroy(),
  };
}
