import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One SendEmail as it came by, told apart by the tags that we gave it. */
export interface SeenRequest {
  sendId: string;
  attempt: number;
  /** In milliseconds since the front was started. */
  at: number;
  /** Undefined until there is an answer. */
  status: number | undefined;
}

export interface SubmitProxy {
  url: string;
  seen: SeenRequest[];
  /** From now on answers for mail of this domain by itself, as something between us and the provider may. */
  answerFor(domain: string, reply: { status: number; body: string }): void;
  close(): Promise<void>;
}

/** Stands before the provider and notes every hand-over. What the provider does to a connection is passed on. */
export async function startSubmitProxy(targetUrl: string): Promise<SubmitProxy> {
  const seen: SeenRequest[] = [];
  const own = new Map<string, { status: number; body: string }>();
  const agent = new Agent({ keepAlive: true });
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const at = performance.now();
    const body = await buffer(incoming);
    const isSubmission = incoming.url === "/v2/email/outbound-emails";
    const { sendId = "", attempt = 0, domain = "" } = isSubmission ? tagsIn(body) : {};
    const entry: SeenRequest = { sendId, attempt, at, status: undefined };
    if (isSubmission) seen.push(entry);
    const reply = own.get(domain);
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
    answerFor: (domain, reply) => void own.set(domain, reply),
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function tagsIn(body: Buffer): { sendId: string; attempt: number; domain: string } {
  // Our own provider wrote it; what is missing shows up as a request of no send.
  const { EmailTags = [], FromEmailAddress = "" } = JSON.parse(body.toString()) as {
    EmailTags?: { Name: string; Value: string }[];
    FromEmailAddress?: string;
  };
  const tag = (name: string) => EmailTags.find(({ Name }) => Name === name)?.Value ?? "";
  const domain = /@([^@>]+)>?$/.exec(FromEmailAddress)?.[1] ?? "";
  return { sendId: tag("send_id"), attempt: Number(tag("attempt")), domain };
}
