import { expect, test } from "vitest";
import { attachmentSizeProblems } from "./attachments-wire.ts";
import { parseSendRequest } from "./send-request-wire.ts";

const mebibyte = 1024 * 1024;
const body = "x".repeat(2 * mebibyte);

function problemsOf(size: number, ...bodies: string[]) {
  return attachmentSizeProblems({ attachments: [{ size }], bodies, maxAttachmentBytes: 25 * mebibyte });
}

test("the largest attachments and bodies that SES surely composes to at most 40 MB are accepted", () => {
  expect(problemsOf(25 * mebibyte)).toEqual([]);
  expect(problemsOf(18 * mebibyte, body, body)).toEqual([]);
});

test("attachments that may compose to more than 40 MB with the bodies are refused, each within its own limit", () => {
  expect(problemsOf(19 * mebibyte, body, body)).toMatchObject([{ field: "attachments", code: "too_large" }]);
  expect(problemsOf(25 * mebibyte, body)).toMatchObject([{ field: "attachments", code: "too_large" }]);
  expect(problemsOf(25 * mebibyte + 1)).toMatchObject([{ field: "attachments", code: "too_large" }]);
});

test("files that are too large together are reported beside every other problem, and a broken file or body does not count", () => {
  const large = Buffer.alloc(11 * mebibyte).toString("base64");
  const problems = (mail: object) => {
    const valid = { from: "a@b.com", to: ["x@y.com"], subject: "s", text: "t" };
    const parsed = parseSendRequest({ ...valid, ...mail }, undefined, { maxAttachmentBytes: 10 * mebibyte });
    return "problems" in parsed ? parsed.problems.map(({ field, code }) => `${field} ${code}`).toSorted() : [];
  };
  expect(problems({ to: ["x"], attachments: [{ filename: "a/b", content: large }] })).toEqual([
    "attachments too_large",
    "attachments[0].filename invalid",
    "to[0] invalid",
  ]);
  expect(problems({ attachments: [{ filename: "a", content: `${large.slice(0, -4)}-___` }] })).toEqual([
    "attachments[0].content invalid",
  ]);
  const file = { filename: "a", content: Buffer.alloc(9 * mebibyte).toString("base64") };
  expect(problems({ html: body.repeat(10), attachments: [file] })).toEqual(["html invalid"]);
  expect(problems({ subject: "", attachments: [file, null, { filename: "b" }, 7] })).not.toContain(
    "attachments too_large",
  );
  expect(problems({ attachments: [file] })).toEqual([]);
});
