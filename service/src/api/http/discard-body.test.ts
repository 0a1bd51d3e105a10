import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useTestApi } from "../../../test/use-test-api.ts";

const api = useTestApi();
let port = 0;
let bytesRead = () => 0;

beforeAll(async () => {
  port = Number(new URL(await api.app.listen({ port: 0, host: "127.0.0.1" })).port);
  const sockets: { bytesRead: number }[] = [];
  api.app.server.on("connection", (socket) => sockets.push(socket));
  bytesRead = () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
});
afterAll(() => api.app.server.closeAllConnections());

const body = Buffer.alloc(8 * 1024 * 1024, "x");
const headers = { "content-type": "application/json", "x-api-key": "not-a-key" };

test("a refused large request is answered at once, although its body is read slowly", async () => {
  const agent = new Agent({ keepAlive: true });
  const before = bytesRead();
  const started = performance.now();
  const outgoing = Array.from({ length: 20 }, () => {
    const one = request({ port, agent, method: "POST", path: "/api/v1/send", headers });
    one.on("error", () => undefined);
    one.end(body);
    return one;
  });
  const answers = await Promise.all(outgoing.map((one) => once(one, "response")));
  expect(answers.map(([answer]) => answer.statusCode)).toEqual(outgoing.map(() => 401));
  const afterMs = 300;
  await sleep(afterMs);
  const readMb = (bytesRead() - before) / 1e6;
  const elapsedSeconds = (performance.now() - started) / 1000;
  // Beside the chunks of 64 KiB that were discarded, each connection holds some that wait.
  expect(readMb).toBeLessThan(27 * elapsedSeconds + 20 * 0.3);
  expect(readMb).toBeLessThan(20 * 8);
  agent.destroy();
  // Otherwise the server reads what the system has received for them, for seconds, beside the next test.
  api.app.server.closeAllConnections();
});

const refusals = [
  [401, "/api/v1/send"],
  [413, "/api/v1/auth/login"],
] as const;

test.for(refusals)(
  "a client that writes the whole body before it reads gets its %i, and can use the connection again",
  { timeout: 15_000 },
  async ([status, path]) => {
    const socket = connect(port, "127.0.0.1");
    const head = (to: string, length: number) =>
      `POST ${to} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: not-a-key\r\ncontent-length: ${length}\r\n\r\n`;
    socket.pause();
    socket.write(head(path, body.length));
    await new Promise((resolve) => socket.write(body, resolve));
    socket.end(`${head("/api/v1/send", 2)}{}`);
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, "HTTP/1.1 401"]);
  },
);
