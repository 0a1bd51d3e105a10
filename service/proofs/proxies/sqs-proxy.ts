import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** `swallowed`: SQS never receives the delete. `unanswered`: SQS deletes, and the consumer gets no answer. */
export type DeleteOutcome = "swallowed" | "unanswered";

export interface SqsProxy {
  url: string;
  /**
   * Resolves when the next delete request has arrived and had this outcome. The proxy swallows all later deletes, because one
   * consumer could otherwise empty the queue and leave no message for the next.
   */
  catchDelete(outcome: DeleteOutcome): Promise<void>;
  close(): Promise<void>;
}

/** Replaces the consumer's 30 s visibility timeout, so that the messages of a killed consumer become visible soon. */
const visibilityTimeoutSeconds = 1;

/** A proxy in front of SQS that withholds every answer to a delete, so that a consumer is killed between commit and delete. */
export async function startSqsProxy(targetUrl: string): Promise<SqsProxy> {
  const agent = new Agent({ keepAlive: true });
  let next: { outcome: DeleteOutcome; caught: () => void } | undefined;
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const operation = incoming.headers["x-amz-target"];
    const isDelete = operation === "AmazonSQS.DeleteMessageBatch";
    const body = bodyFor(operation, await buffer(incoming));
    const pending = isDelete ? next : undefined;
    if (isDelete) next = undefined;
    if (isDelete && pending?.outcome !== "unanswered") return pending?.caught();
    const { method } = incoming;
    const headers = { ...incoming.headers, "content-length": String(body.length) };
    const forward = request(new URL(incoming.url ?? "/", targetUrl), { method, headers, agent });
    outgoing.on("close", () => forward.destroy());
    forward.on("error", () => outgoing.destroy());
    forward.on("response", (answer) => {
      if (isDelete) {
        answer.resume().on("end", () => pending?.caught());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => outgoing.destroy()).pipe(outgoing);
    });
    forward.end(body);
  };
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    catchDelete(outcome) {
      return new Promise((caught) => {
        next = { outcome, caught };
      });
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bodyFor(operation: string | string[] | undefined, body: Buffer): Buffer {
  if (operation !== "AmazonSQS.ReceiveMessage") return body;
  const original: Record<string, unknown> = JSON.parse(body.toString());
  return Buffer.from(JSON.stringify({ ...original, VisibilityTimeout: visibilityTimeoutSeconds }));
}
