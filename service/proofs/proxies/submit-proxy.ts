import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One SendEmail request, identified by the tags of our provider. */
export interface SeenRequest {
  sendId: string;
  attempt: number;
  /** Milliseconds on the clock of `performance.now()`. */
  at: number;
  /** Undefined until the provider answers. */
  status: number | undefined;
}

export interface SubmitProxy {
  url: string;
  seen: SeenRequest[];
  /** Makes the proxy answer itself for mail of this domain, as an intermediary between us and the provider can. */
  answerFor(domain: string, reply: { status: number; body: string }): void;
  close(): Promise<void>;
}

/** A proxy in front of the provider that records every submission and passes on connection resets. */
export async function startSubmitProxy(targetUrl: string): Promise<SubmitProxy> {
  const seen: SeenRequest[] = [];
  const ownReplies = new Map<string, { status: number; body: string }>();
  const agent = new Agent({ keepAlive: true });
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const at = performance.now();
    const body = await buffer(incoming);
    const isSubmission = incoming.url === "/v2/email/outbound-emails";
    const { sendId = "", attempt = 0, domain = "" } = isSubmission ? tagsIn(body) : {};
    const entry: SeenRequest = { sendId, attempt, at, status: undefined };
    if (isSubmission) seen.push(entry);
    const reply = ownReplies.get(domain);
    if (reply !== undefined) {
      outgoing.writeHead(reply.status, { "content-type": "text/html" }).end(reply.body);
      return;
    }
    const { method, headers } = incoming;
    const forward = request(new URL(incoming.url ?? "/", targetUrl), { method, headers, agent });
    const reset = () => outgoing.socket?.resetAndDestroy();
    outgoing.on("close", () => forward.destroy());
    forward.on("error", reset);
    forward.on("response", (answer) => {
      entry.status = answer.statusCode;
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", reset).pipe(outgoing);
    });
    forward.end(body);
  };
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answerFor: (domain, reply) => void ownReplies.set(domain, reply),
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function tagsIn(body: Buffer): { sendId: string; attempt: number; domain: string } {
  // Our provider wrote the body; a missing tag shows up as a request with an empty send id.
  const { EmailTags = [], FromEmailAddress = "" } = JSON.parse(body.toString()) as {
    EmailTags?: { Name: string; Value: string }[];
    FromEmailAddress?: string;
  };
  const tag = (name: string) => EmailTags.find(({ Name }) => Name === name)?.Value ?? "";
  const domain = /@([^@>]+)>?$/.exec(FromEmailAddress)?.[1] ?? "";
  return { sendId: tag("send_id"), attempt: Number(tag("attempt")), domain };
}
