import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Database } from "../../service/src/db/database.ts";
import { allowWebhookNetwork } from "../../service/src/webhooks/network-store.ts";

export interface ReceivedNotification {
  body: string;
  headers: Record<string, string>;
}

export interface WebhookServer {
  url: string;
  received: ReceivedNotification[];
  /** Every request gets this status from now on. */
  answer(status: number): void;
  close(): void;
}

/** An endpoint on this machine that the account may use. */
export async function aWebhookServer(db: Database, accountId: string): Promise<WebhookServer> {
  const received: ReceivedNotification[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ body, headers: request.headers as Record<string, string> });
      response.writeHead(status).end(status < 300 ? "thank you" : "try later");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await allowWebhookNetwork(db, accountId, "127.0.0.0/8");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    answer: (next) => {
      status = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
