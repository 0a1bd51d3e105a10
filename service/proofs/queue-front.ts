import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** What becomes of a request to delete: it is never seen by SQS, or SQS does it and nobody hears of it. */
export type DeleteFate = "swallowed" | "unanswered";

export interface QueueFront {
  url: string;
  /**
   * Resolves when the next request to delete is here, and has met this fate. Later ones are swallowed: one life could empty the
   * queue otherwise, and leave nothing to delete for the next.
   */
  catchDelete(fate: DeleteFate): Promise<void>;
  close(): Promise<void>;
}

/** Instead of the 30 that we ask for: whoever is killed leaves messages behind that nobody sees for so long. */
const hiddenSeconds = 1;

/** Stands before SQS and never lets an answer to a delete through, so that its caller dies between commit and delete. */
export async function startQueueFront(targetUrl: string): Promise<QueueFront> {
  const agent = new Agent({ keepAlive: true });
  let next: { fate: DeleteFate; caught: () => void } | undefined;
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const operation = incoming.headers["x-amz-target"];
    const isDelete = operation === "AmazonSQS.DeleteMessageBatch";
    const body = bodyFor(operation, await buffer(incoming));
    const own = isDelete ? next : undefined;
    if (isDelete) next = undefined;
    if (isDelete && own?.fate !== "unanswered") return own?.caught();
    const { method } = incoming;
    const headers = { ...incoming.headers, "content-length": String(body.length) };
    const forward = request(new URL(incoming.url ?? "/", targetUrl), { method, headers, agent });
    outgoing.on("close", () => forward.destroy());
    forward.on("error", () => outgoing.destroy());
    forward.on("response", (answer) => {
      if (isDelete) {
        answer.resume().on("end", () => own?.caught());
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
    catchDelete(fate) {
      return new Promise((caught) => {
        next = { fate, caught };
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
  const asked: Record<string, unknown> = JSON.parse(body.toString());
  return Buffer.from(JSON.stringify({ ...asked, VisibilityTimeout: hiddenSeconds }));
}
