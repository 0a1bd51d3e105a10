import { randomUUIDv7 } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { anAnswer, answering, aReceiver, type Behaviour, isComplete } from "../../../test/webhook-receiver.ts";
import { exampleData } from "../../webhooks/example-data.ts";
import { notificationTypes } from "../../webhooks/notification-types.ts";
import { forwardNotification } from "./forward-notification.ts";
import { notificationLine } from "./notification-line.ts";

const notification = { notification_id: randomUUIDv7(), type: "send.sent", body: '{"é":1}' } as const;

test("the body arrives byte for byte", async () => {
  const { answer, received } = await forwardTo(answering(anAnswer(200)));
  expect(answer).toMatchObject({ status: 200, failure: undefined });
  expect(received[0]).toMatch(/^POST \/in\?x=1 HTTP\/1\.1\r\n[\s\S]*\r\n\r\n\{"é":1\}$/);
});

test.for([
  ["no answer", () => undefined, undefined, "the endpoint did not answer"],
  [
    "an answer without end",
    (socket, received) => {
      if (isComplete(received)) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n");
    },
    200,
    "the endpoint did not finish its answer",
  ],
  [
    "an answer that breaks off",
    (socket, received) => {
      if (isComplete(received)) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx");
    },
    200,
    "The endpoint closed the connection before its answer was complete.",
  ],
  ["another protocol", answering("hello\r\n\r\n"), undefined, "not valid HTTP"],
  [
    "status 101",
    answering("HTTP/1.1 101 X\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n"),
    undefined,
    "closed the connection",
  ],
] as const satisfies [string, Behaviour, number | undefined, string][])(
  "%s is a failure in words",
  async ([, behave, status, failure]) => {
    const { answer } = await forwardTo(behave);
    expect(answer).toEqual({ status, durationMs: expect.any(Number), failure: expect.stringContaining(failure) });
  },
);

test("an unknown name and a closed port are failures in words", async () => {
  const forward = (url: string) =>
    forwardNotification(notification, {
      url: new URL(url),
      secret: Buffer.alloc(32),
      signal: new AbortController().signal,
    });
  expect((await forward("http://unknown.invalid/")).failure).toBe(
    "Postern could not find the address of the endpoint.",
  );
  expect((await forward("https://127.0.0.1:9/")).failure).toBe("The endpoint refused the connection.");
});

test("the end of the command ends the request", async () => {
  const stopping = new AbortController();
  const { answer } = await forwardTo(() => stopping.abort(), { signal: stopping.signal, timeoutMs: 10_000 });
  expect(answer.failure).toBe("`postern listen` ended before the answer.");
});

test.for(notificationTypes)("the line of %s names what it is about", (type) => {
  const body = JSON.stringify({ type, data: exampleData[type] });
  const now = new Date("2026-11-15T09:30:05.123Z");
  const answer = { status: 200, durationMs: 12, failure: undefined };
  const line = notificationLine({ notification_id: "n", type, body }, answer, now);
  const subject = "([\\w-]{36}|\\S+@\\S+|\\S+\\.io|by the \\w+)";
  expect(line).toMatch(
    new RegExp(`^✓ 2026-11-15 09:30:05 UTC {2}${RegExp.escape(type)} {2,}${subject} {2}200 {2}12 ms$`),
  );
});

async function forwardTo(behave: Behaviour, options: { signal?: AbortSignal; timeoutMs?: number } = {}) {
  const { signal = new AbortController().signal, timeoutMs = 500 } = options;
  const receiver = await aReceiver(behave);
  onTestFinished(receiver.close);
  const url = new URL(`http://localhost:${receiver.port}/in?x=1`);
  const answer = await forwardNotification(notification, { url, secret: Buffer.alloc(32), signal, timeoutMs });
  return { answer, received: receiver.received };
}
