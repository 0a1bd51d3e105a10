import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createBodyReader } from "./body-reader.ts";
import { readSendBody } from "./read-send-body.ts";
import type { ParsedSend } from "./send-request-wire.ts";

const limits = { maxAttachmentBytes: 10 * 1024 * 1024 };
const { read } = createBodyReader(limits);
const plain = { from: "hello@acme.example", to: ["jane@example.io"], subject: "Hello", text: "Hi" };
const large = randomBytes(2_000_001);

function bodyOf(changes: object): Buffer {
  return Buffer.from(JSON.stringify({ ...plain, ...changes }));
}

function withFiles(...files: Buffer[]): Buffer {
  const attachments = files.map((bytes, number) => ({ filename: `${number}.bin`, content: bytes.toString("base64") }));
  return bodyOf({ attachments });
}

function bytesOf(parsed: ParsedSend): Buffer[] {
  return "request" in parsed ? (parsed.request.attachments ?? []).map(({ bytes }) => bytes) : [];
}

/** Comparing millions of bytes one by one takes seconds. */
function withoutBytes(parsed: ParsedSend) {
  if ("problems" in parsed) return parsed;
  const attachments = parsed.request.attachments?.map((attachment) => ({ ...attachment, bytes: undefined }));
  return { ...parsed.request, attachments };
}

test("a large body gives the same request as one that is read at once", async () => {
  const body = withFiles(large, Buffer.from("small"), Buffer.alloc(0));
  const expected = readSendBody(body, "a-key", limits);
  const parsed = await read(Buffer.from(body), "a-key");
  expect(withoutBytes(parsed)).toEqual(withoutBytes(expected));
  expect(bytesOf(parsed).map((bytes, number) => bytes.equals(bytesOf(expected)[number] as Buffer))).toEqual([
    true,
    true,
    true,
  ]);
});

test("bodies that arrive together each get their own request", async () => {
  const subjects = Array.from({ length: 5 }, (_, number) => `Number ${number}`);
  const files = [{ filename: "a.bin", content: large.toString("base64") }];
  const parsed = await Promise.all(subjects.map((subject) => read(bodyOf({ subject, attachments: files }), undefined)));
  expect(parsed.map((one) => "request" in one && one.request.subject)).toEqual(subjects);
});

test("the problems of a large body are those of a small one", async () => {
  const unknown = { ...plain, text: "x".repeat(1_500_000), nobody: 1, from: "nobody" };
  const body = Buffer.from(JSON.stringify(unknown));
  const expected = readSendBody(body, undefined, limits);
  expect(expected).toHaveProperty("problems.length", 2);
  expect(await read(Buffer.from(body), undefined)).toEqual(expected);
  const cut = withFiles(large).subarray(0, -1);
  await expect(read(cut, undefined)).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    details: [{ code: "not_json" }],
  });
  expect(await read(withFiles(large), undefined)).toHaveProperty("request.subject", "Hello");
});

test("other work goes on while a large body is read", async () => {
  await read(withFiles(large), undefined);
  const stopped: number[] = [];
  // A busy machine can stop this process for as long, but not each time.
  for (let tries = 0; tries < 10 && !stopped.some((share) => share < 0.5); tries++) stopped.push(await longestStop());
  expect(Math.min(...stopped)).toBeLessThan(0.5);
});

/** Reads a body. Returns the longest time for which nothing else ran, as a share of the whole. */
async function longestStop(): Promise<number> {
  const body = withFiles(randomBytes(10_000_000));
  let longestMs = 0;
  const began = performance.now();
  let last = began;
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 1);
  await read(body, undefined);
  clearInterval(timer);
  const ended = performance.now();
  return Math.max(longestMs, ended - last) / (ended - began);
}
