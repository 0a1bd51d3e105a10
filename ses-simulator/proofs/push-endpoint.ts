import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { EventsSeen } from "./events-seen.ts";
import { call, sns } from "./raw-client.ts";

/** A push endpoint for SNS. It keeps running while the simulator restarts and confirms its subscription by the SubscribeURL. */
export async function listenForPushes(seen: EventsSeen) {
  const confirmed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    void receive(request).then(() => response.end());
  });

  async function receive(request: IncomingMessage): Promise<void> {
    const text = await bodyOf(request);
    if (request.headers["x-amz-sns-message-type"] === "Notification") return seen.addFrom(text);
    const link = new URL(JSON.parse(text).SubscribeURL);
    await call(Number(link.port), "GET", link.pathname + link.search, {});
    confirmed.resolve();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    async subscribe(simulatorPort: number, topic: string): Promise<void> {
      const TopicArn = `arn:aws:sns:eu-west-1:000000000000:${topic}`;
      await sns(simulatorPort, {
        Action: "Subscribe",
        TopicArn,
        Protocol: "http",
        Endpoint: `http://127.0.0.1:${port}/`,
      });
      await confirmed.promise;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
