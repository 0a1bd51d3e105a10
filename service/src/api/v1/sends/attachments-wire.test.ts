import { expect, test } from "vitest";
import { attachmentSizeProblems } from "./attachments-wire.ts";

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
