import { describe, expect, test } from "vitest";
import { bounceReplies } from "../../../test/bounce-replies.ts";
import { explainBounce } from "./explain-bounce.ts";

describe.for(bounceReplies)("%s", ([cause, texts]) => {
  test.for(texts)("%s", (diagnostic) => {
    const type = /\b4\d\d\b/.test(diagnostic) ? "Transient" : "Permanent";
    const status = /\b[45]\.\d+\.\d+\b/.exec(diagnostic)?.[0];
    expect(explainBounce({ type, subtype: "General", status, diagnostic }).cause).toBe(cause);
  });
});

test.for([
  ["5.1.1", "unknown-mailbox"],
  ["4.2.2", "mailbox-full"],
  ["5.3.4", "too-large"],
  ["5.4.4", "unreachable"],
  ["5.7.1", "policy"],
  ["5.0.0", "unclear"],
] as const)("the code %s decides when the words say nothing: %s", ([status, cause]) => {
  const reason = { type: "Permanent", subtype: "General", status, diagnostic: "smtp; 550 foo" } as const;
  expect(explainBounce(reason).cause).toBe(cause);
});

test.for([
  ["NoEmail", "unknown-mailbox"],
  ["MailboxFull", "mailbox-full"],
  ["AttachmentRejected", "content"],
  ["OnAccountSuppressionList", "suppressed-by-ses"],
  ["General", "unclear"],
] as const)("SES subtype %s decides without words and codes: %s", ([subtype, cause]) => {
  const reason = { type: "Transient", subtype, status: undefined, diagnostic: undefined } as const;
  expect(explainBounce(reason).cause).toBe(cause);
});

test("words that every object knows are no codes", () => {
  const reason = { type: "Permanent", subtype: "constructor", status: "5.constructor", diagnostic: undefined } as const;
  expect(explainBounce(reason).cause).toBe("unclear");
});

test("a permanent bounce says that the address is suppressed, a transient one does not", () => {
  const reason = { subtype: "General", status: "5.1.1", diagnostic: "smtp; 550 5.1.1 User unknown" };
  expect(explainBounce({ ...reason, type: "Permanent" })).toEqual({
    cause: "unknown-mailbox",
    meaning: "The mailbox does not exist.",
    nextStep: "The address is now suppressed. Correct it in your data.",
  });
  expect(explainBounce({ ...reason, type: "Transient" }).nextStep).not.toContain("suppressed");
});

test("a long hostile text is explained in linear time", () => {
  const started = performance.now();
  for (const part of ["a", " user", "mailbox ", "exceed", "(", "5.", "connection ", "host host "]) {
    explainBounce({ type: "Permanent", subtype: "General", status: undefined, diagnostic: part.repeat(20_000) });
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
