import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Feedback } from "../../feedback.ts";
import { checkMails } from "./check-mails.ts";
import type { SeenEvent } from "./collect-events.ts";
import { assumptionFindings, mailFinding } from "./evaluate-mails.ts";
import type { SubmittedMail } from "./submitted-mail.ts";

const messageId = "010201a1dea64100-5b6c1f0a-0000-0000-0000-000000000000-000000";
const acceptedAt = Date.parse("2026-11-15T10:00:00Z");

function aSubmittedMail(name: string): SubmittedMail {
  const mail = checkMails.find((each) => each.name === name);
  if (mail === undefined) throw new Error(`there is no mail ${name}`);
  return { mail, sendId: name, messageId, startedAt: 1_000, between: [acceptedAt, acceptedAt + 100] };
}

function anEvent({ mail, sendId }: SubmittedMail, change: Partial<Feedback> = {}): SeenEvent {
  const about = {
    providerMessageId: messageId,
    sendId,
    attempt: 1,
    submittedAt: "2026-11-15T10:00:00.050Z",
    at: "2026-11-15T10:00:01Z",
    recipients: [mail.to],
    feedbackId: undefined,
  };
  // The caller gives the members of one kind together.
  return { feedback: { kind: "send", ...about, ...change } as Feedback, body: "", seenAt: 2_500 };
}

const permanent = { kind: "bounce", bounce: { type: "Permanent", subtype: "General" } } as const;
const transient = { kind: "bounce", bounce: { type: "Transient", subtype: "General" } } as const;

test("a mail with all its events passes, with the delay of each, also when one arrives twice", () => {
  const mail = aSubmittedMail("bounce");
  const events = [anEvent(mail), anEvent(mail, permanent), anEvent(mail, permanent)];
  expect(mailFinding(mail, events, 60)).toEqual({
    check: "mail.bounce",
    state: "ok",
    what: "bounce@simulator.amazonses.com: Send after 1.5 s, Bounce Permanent/General after 1.5 s",
  });
});

test("missing events are named", () => {
  const mail = aSubmittedMail("complaint");
  expect(mailFinding(mail, [anEvent(mail)], 60)).toMatchObject({
    state: "problem",
    what: expect.stringContaining("SES did not report Delivery and Complaint within 60 seconds"),
  });
  expect(mailFinding(mail, [], 60).what).toContain(": no event; SES did not report Send and Delivery and Complaint");
});

test("events of other mails do not count", () => {
  const [mail, other] = [aSubmittedMail("success"), aSubmittedMail("attachment")];
  const events = [anEvent(other), anEvent(other, { kind: "delivery" })];
  expect(mailFinding(mail, events, 60).state).toBe("problem");
});

test("a bounce of the wrong type is a problem, for an address that bounces and for one that is out of office", () => {
  const bounced = aSubmittedMail("bounce");
  expect(mailFinding(bounced, [anEvent(bounced), anEvent(bounced, transient)], 60).state).toBe("problem");
  const away = aSubmittedMail("ooto");
  const delivered = [anEvent(away), anEvent(away, { kind: "delivery" })];
  expect(mailFinding(away, delivered, 60).state).toBe("ok");
  expect(mailFinding(away, [...delivered, anEvent(away, transient)], 60).state).toBe("ok");
  expect(mailFinding(away, [...delivered, anEvent(away, permanent)], 60).state).toBe("problem");
});

test("an event that nobody expects is a note", () => {
  const mail = aSubmittedMail("success");
  const events = [anEvent(mail), anEvent(mail, { kind: "delivery" }), anEvent(mail, { kind: "delay" })];
  expect(mailFinding(mail, events, 60)).toMatchObject({
    state: "note",
    advice: expect.stringContaining("DeliveryDelay"),
  });
});

test("the assumptions hold for events as Postern expects them", () => {
  const mail = aSubmittedMail("success");
  const findings = assumptionFindings([mail], [anEvent(mail)]);
  expect(findings.map(({ state }) => state)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  expect(assumptionFindings([mail], [])).toEqual([]);
});

test.for([
  ["assumption.message-id", { providerMessageId: "other" }],
  ["assumption.tags", { attempt: undefined }],
  ["assumption.recipients", { recipients: ["forwarded@example.test"] }],
  ["assumption.times", { submittedAt: "2026-11-15T10:05:00Z" }],
  ["assumption.times", { submittedAt: "2026-11-15T09:55:00Z" }],
] as const)("an event that breaks %s is a problem: %j", ([check, change]) => {
  const mail = aSubmittedMail("success");
  const events = [anEvent(mail), anEvent(mail, { kind: "delivery", ...change } as Partial<Feedback>)];
  const broken = assumptionFindings([mail], events).filter(({ state }) => state === "problem");
  expect(broken.map((finding) => finding.check)).toEqual([check]);
  expect(broken[0]?.what).toContain("(Delivery of success@simulator.amazonses.com)");
});

test("a MessageId of another form is only a note", () => {
  const mail = { ...aSubmittedMail("success"), messageId: "another" };
  const events = [anEvent(mail, { providerMessageId: "another" })];
  const broken = assumptionFindings([mail], events).filter(({ state }) => state !== "ok");
  expect(broken).toMatchObject([{ check: "assumption.message-id-form", state: "note" }]);
});

test("docs/ses-assumptions.md lists every assumption that the check tests, and no other", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../../docs/ses-assumptions.md"), "utf8");
  const files = ["check-mail-events.ts", "check-signatures.ts", "evaluate-mails.ts"];
  const sources = files.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join("\n");
  const namesIn = (text: string) => [...new Set(text.match(/\bassumption\.[a-z-]+/g))].toSorted();
  expect(namesIn(page)).toEqual(namesIn(sources));
});
