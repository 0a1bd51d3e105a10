import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Database } from "../../src/db/database.ts";
import type { SecretPair } from "../../src/secret.ts";
import { createEndpoint } from "../../src/webhooks/endpoint-store.ts";
import { allowWebhookNetwork } from "../../src/webhooks/network-store.ts";
import type { NotificationType } from "../../src/webhooks/notification-types.ts";

/** What an operator sets, so that webhooks may go to receivers on this machine (with the network of the account). */
export const loopbackSettings = { WEBHOOK_PORTS: "any" };

/** What one request to a receiver had, complete. */
export interface WebhookRequest {
  id: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export type Answer = (request: WebhookRequest, response: ServerResponse) => void;

export interface LoopbackReceiver {
  url: string;
  close(): void;
}

export async function startLoopbackReceiver(answer: Answer): Promise<LoopbackReceiver> {
  const server = createServer((incoming, response) => {
    response.on("error", () => undefined);
    buffer(incoming).then(
      (body) => answer({ id: String(incoming.headers["webhook-id"]), headers: incoming.headers, body }, response),
      () => undefined, // A worker that is killed breaks off its request.
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface LoopbackEndpoint {
  accountId: string;
  contentKeys: SecretPair;
  types: readonly NotificationType[];
  url: string;
}

/** An endpoint of an account to which the operator allowed loopback. Returns its id and secret. */
export async function aLoopbackEndpoint(db: Database, { accountId, contentKeys, types, url }: LoopbackEndpoint) {
  await allowWebhookNetwork(db, accountId, "127.0.0.1/32");
  return createEndpoint(db.forAccount(accountId), contentKeys, { mode: "live", url, description: null, types });
}
