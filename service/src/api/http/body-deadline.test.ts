import { connect } from "node:net";
import { fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { bodyDeadlineMs, limitBodyTime } from "./body-deadline.ts";
import { createMalformedRequestHandler } from "./malformed-request.ts";

async function aServer(deadlineMs: (bytes: number) => number) {
  const app = fastify({ bodyLimit: 1_000_000, clientErrorHandler: createMalformedRequestHandler("http://a.test") });
  onTestFinished(() => app.close());
  limitBodyTime(app, { deadlineMs });
  app.post("/", async () => "done");
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  return Number(port);
}

/** Sends the head and `parts` of the body with a pause after each, and returns the answer. */
async function post(port: number, head: string, parts: string[], pauseMs: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += String(chunk);
  });
  // The server closes without reading the rest, so a write can fail after the answer has come.
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\n${head}\r\n\r\n`);
  for (const part of parts) {
    socket.write(part);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
  await closed;
  return answer;
}

test("a body that comes too slowly gets 408, however many parts it sends", async () => {
  const port = await aServer(() => 200);
  const began = performance.now();
  const answer = await post(port, "content-length: 1000", Array(40).fill("1"), 50);
  expect(answer).toContain("408 Request Timeout");
  expect(answer).toContain("REQUEST_TIMEOUT");
  expect(performance.now() - began).toBeLessThan(1_500);
});

test("so does a chunked one", async () => {
  const port = await aServer(() => 200);
  const answer = await post(port, "transfer-encoding: chunked", Array(40).fill("1\r\n1\r\n"), 50);
  expect(answer).toContain("408 Request Timeout");
});

test("a body in time is served, and its connection is not closed later", async () => {
  const port = await aServer(() => 300);
  const answer = await post(port, "content-length: 4", ["tr", "ue"], 50);
  expect(answer).toContain("200 OK");
});

test("a large body has time for its bytes, a small one has not", async () => {
  const port = await aServer((bytes) => (bytes === 0 ? 100 : 2_000));
  const large = `"${"x".repeat(69_998)}"`;
  const parts = [large.slice(0, 10), large.slice(10)];
  expect(await post(port, `content-length: ${large.length}`, parts, 400)).toContain("200 OK");
  expect(await post(port, "content-length: 4", ["tr", "ue"], 400)).toContain("408");
});

test("30 seconds, and five for each MiB", () => {
  expect(bodyDeadlineMs(0)).toBe(30_000);
  expect(bodyDeadlineMs(10 * 1024 * 1024)).toBe(82_429);
});
