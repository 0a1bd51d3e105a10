import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** Is called at each arrival of bytes with all that came over the connection. */
export type Behaviour = (socket: Socket, received: string) => void;

export interface WebhookReceiver {
  port: number;
  /** What came in over each connection. */
  received: string[];
  connections(): number;
  close(): void;
}

interface ReceiverOptions {
  host?: string;
  port?: number;
  server?: Server;
}

/** A receiver of bytes that answers as the test wants, also with what is not HTTP. */
export async function aReceiver(behave: Behaviour, options: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const { host = "127.0.0.1", port = 0, server = createServer() } = options;
  const received: string[] = [];
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)));
  server.on("tlsClientError", () => undefined);
  server.on("setSecureContext" in server ? "secureConnection" : "connection", (socket: Socket) => {
    const index = received.push("") - 1;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received[index] += bytes.toString();
      behave(socket, received[index] ?? "");
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // a TCP server has no path
    received,
    connections: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Answers each complete request with this text, and closes the connection. */
export function answering(text: string | Buffer): Behaviour {
  return (socket, received) => {
    if (isComplete(received)) socket.end(text);
  };
}

export function isComplete(received: string): boolean {
  const [head = "", body] = received.split("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  return body !== undefined && Buffer.byteLength(body) >= length;
}

export function anAnswer(status: number, body: string | Buffer = "", headers: Record<string, string> = {}): Buffer {
  const lines = Object.entries({ ...headers, "content-length": `${Buffer.byteLength(body)}` });
  const head = `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}
