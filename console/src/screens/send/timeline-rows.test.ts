import { expect, test } from "vitest";
import { anEvent, aSend, aTimeline, at, attempt, bounced, delayed, delivered } from "./send-fixture.ts";
import { timelineRows } from "./timeline-rows.ts";

const pia = "pia@brightside.example";
const now = Date.parse(at(60_000));

test("rows have the time since the row before, and the end of the retries comes last", () => {
  const send = aSend({ status: "sent", to_addresses: [pia] });
  const submitted = { type: "submitted", at: at(243), provider_message_id: "0102" } as const;
  const rows = timelineRows(aTimeline(send, [submitted, delayed(32_643, pia, at(3_600_000))]), now);
  expect(rows.map(({ word, sinceLastMs, isAhead }) => [word, sinceLastMs, isAhead])).toEqual([
    ["Accepted", undefined, false],
    ["Sent", 243, false],
    ["Delayed", 32_400, false],
    ["Gives up", 3_567_357, true],
  ]);
});

test("a delivery, a bounce or the time ends the retries", () => {
  const send = aSend({ status: "sent", to_addresses: [pia] });
  const words = (entries: Parameters<typeof aTimeline>[1], moment = now) =>
    timelineRows(aTimeline(send, entries), moment).map(({ word }) => word);
  const delay = delayed(10, pia, at(3_600_000));
  expect(words([delay, delivered(20, pia)])).not.toContain("Gives up");
  expect(words([delay, bounced(20, pia)])).not.toContain("Gives up");
  expect(words([delay], Date.parse(at(3_600_001)))).not.toContain("Gives up");
  expect(words([delay, delayed(20, pia, at(7_200_000))]).filter((word) => word === "Gives up")).toHaveLength(1);
});

test.for([
  [null, "Processing", "processing"],
  ["accepted", "Processing", "processing"],
  ["refused", "Refused", "failed"],
  ["try-later", "Retried", "delayed"],
  ["unknown", "In doubt", "in-doubt"],
  ["returned", "Returned", "queued"],
] as const)("an attempt with the outcome %s is %s", ([outcome, word, status]) => {
  const [, row] = timelineRows(aTimeline(aSend(), [attempt(31, { attempt: 2, outcome, detail: "a detail" })]), now);
  expect(row).toMatchObject({ word, status, text: expect.stringContaining("Attempt 2") });
});

test("every kind of event has its word, recipient and remark", () => {
  const entries = [
    anEvent("Suppression", 0, { recipient: pia, suppressed_at: "2026-09-02T08:00:00.000Z" }),
    delivered(10),
    bounced(20, pia),
    bounced(30, pia, { type: "Transient" }),
    anEvent("Complaint", 40, { complaint_type: "abuse" }),
  ];
  const rows = timelineRows(aTimeline(aSend(), entries, [pia]), now).map(({ word, note }) => [word, note]);
  expect(rows).toEqual([
    ["Accepted", "1 suppressed"],
    ["Suppressed", expect.stringMatching(/^since 2.Sep/)],
    ["Delivered", "250 2.0.0 Ok: queued as 4F2kQz1vX9"],
    ["Bounced", "hard, suppressed at once"],
    ["Bounced", "soft"],
    ["Complained", "abuse"],
  ]);
});
