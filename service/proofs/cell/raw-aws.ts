import { Agent, request } from "node:http";

export interface RawAws {
  publish(topicArn: string, message: string): Promise<void>;
  sendMessage(queueUrl: string, body: string): Promise<void>;
  close(): void;
}

/** The simulator requires a signature but does not verify it. */
function signatureFor(service: "sns" | "sqs"): Record<string, string> {
  const credential = `simulator/20260101/eu-west-1/${service}/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=${"0".repeat(64)}`,
    "x-amz-date": "20260101T000000Z",
  };
}

/** Publishes to topics and queues without the SDK, which would use more CPU than the code under measurement. */
export function createRawAws(url: string, maxSockets = 32): RawAws {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const post = (headers: Record<string, string>, body: string) =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(url, { method: "POST", agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`${answer.statusCode}: ${Buffer.concat(chunks).toString()}`));
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  return {
    publish: (topicArn, message) =>
      post(
        { ...signatureFor("sns"), "content-type": "application/x-www-form-urlencoded" },
        new URLSearchParams({
          Action: "Publish",
          Version: "2010-03-31",
          TopicArn: topicArn,
          Message: message,
        }).toString(),
      ),
    sendMessage: (queueUrl, body) =>
      post(
        {
          ...signatureFor("sqs"),
          "content-type": "application/x-amz-json-1.0",
          "x-amz-target": "AmazonSQS.SendMessage",
        },
        JSON.stringify({ QueueUrl: queueUrl, MessageBody: body }),
      ),
    close: () => agent.destroy(),
  };
}
