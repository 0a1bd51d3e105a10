import { describe, expect, test } from "vitest";
import { isOpen, outcomesOf, problemsFirst } from "./outcome.ts";
import { anEvent, aSend, aTimeline, at, attempt, bounced, delayed, delivered, type Entry } from "./send-fixture.ts";

const jane = "jane@whitaker.example";

function theOutcome(fields: Parameters<typeof aSend>[0], entries: Entry[] = [], suppressed: string[] = []) {
  const send = aSend(fields);
  return outcomesOf(send, aTimeline(send, entries, suppressed))[0];
}

describe("without a report the status of the send decides", () => {
  test.for([
    ["queued", "queued"],
    ["processing", "processing"],
    ["sent", "sent"],
    ["failed", "failed"],
    ["suppressed", "suppressed"],
    // Another recipient has a report; nothing is known about this one.
    ["delivered", "sent"],
    ["bounced", "sent"],
    ["complained", "sent"],
  ] as const)("%s is %s", ([status, state]) => {
    expect(theOutcome({ status })).toMatchObject({ address: jane, state, at: undefined, durationMs: undefined });
  });

  test("a lost answer of SES is in doubt while the send is processing", () => {
    const lost = attempt(31, { outcome: "unknown", ended_at: at(10_000) });
    expect(theOutcome({ status: "processing" }, [lost])?.state).toBe("in-doubt");
    expect(theOutcome({ status: "queued" }, [lost])?.state).toBe("queued");
    expect(theOutcome({ status: "processing" }, [lost, attempt(20_000, { attempt: 2 })])?.state).toBe("processing");
  });
});

test("a delivery has the reply, the server without its type, and the time since the acceptance", () => {
  expect(theOutcome({}, [delivered(1200)])).toMatchObject({
    state: "delivered",
    durationMs: 1200,
    reply: "250 2.0.0 Ok: queued as 4F2kQz1vX9",
    server: "mx1.whitaker.example",
  });
});

test("a server of SES sent the mail; it is not the one that answered", () => {
  const entry = anEvent("Delivery", 10, { reporting_mta: "dns; a8-25.smtp-out.eu-central-1.amazonses.com" });
  expect(theOutcome({}, [entry])).toMatchObject({
    server: undefined,
    sentBy: "a8-25.smtp-out.eu-central-1.amazonses.com",
  });
});

test("a report from before the acceptance, by another clock, took no time", () => {
  expect(theOutcome({}, [delivered(-40)])?.durationMs).toBe(0);
});

test("a permanent bounce has the server's words and the explanation of the API", () => {
  expect(theOutcome({ status: "bounced" }, [bounced(1900, jane)])).toMatchObject({
    state: "bounced",
    durationMs: 1900,
    reply: "550 5.1.1 User unknown",
    replyStatus: "5.1.1",
    server: "mx2.oakmere.example",
    bounce: { isPermanent: true, explanation: { cause: "unknown-mailbox" } },
    deliveredAt: undefined,
  });
});

describe("several reports about one recipient rank as in the API", () => {
  const soft = (ms: number) => bounced(ms, jane, { type: "Transient", cause: "mailbox-full" });
  const complaint = (ms: number) => anEvent("Complaint", ms, { complaint_type: "abuse" });
  test.for<[string, Entry[], string]>([
    ["a delivery after a transient bounce", [soft(10), delivered(20)], "delivered"],
    ["a transient bounce after a delivery", [delivered(10), soft(20)], "delivered"],
    ["a permanent bounce after a delivery", [delivered(10), bounced(20, jane)], "bounced"],
    ["a complaint after a delivery", [delivered(10), complaint(20)], "complained"],
    ["a complaint before its delivery is reported", [complaint(10), delivered(20)], "complained"],
    ["a transient bounce alone", [soft(10)], "bounced"],
  ])("%s", ([, entries, state]) => {
    expect(theOutcome({ status: "sent" }, entries)?.state).toBe(state);
  });

  test("a complaint keeps the delivery before it", () => {
    expect(theOutcome({ status: "complained" }, [delivered(1200), complaint(9000)])).toMatchObject({
      at: at(9000),
      deliveredAt: at(1200),
      durationMs: 1200,
      complaintType: "abuse",
      reply: "250 2.0.0 Ok: queued as 4F2kQz1vX9",
    });
  });

  test("a late bounce keeps the delivery before it", () => {
    expect(theOutcome({}, [delivered(1200), bounced(9000, jane)])).toMatchObject({ deliveredAt: at(1200) });
  });
});

describe("delays", () => {
  const until = "2026-11-17T04:22:00.000Z";
  test("the newest delay counts", () => {
    const outcome = theOutcome({ status: "sent" }, [delayed(10, jane, null, "General"), delayed(37_000, jane, until)]);
    expect(outcome).toMatchObject({
      state: "delayed",
      at: at(37_000),
      reply: "452 4.2.2 The inbox is out of storage space",
      delay: { type: "MailboxFull", retriedUntil: until },
    });
  });

  test("a delivery ends it", () => {
    expect(theOutcome({}, [delayed(10, jane, until), delivered(500)])).toMatchObject({
      state: "delivered",
      delay: undefined,
    });
  });

  test("SES rejected the mail after it: the send failed", () => {
    expect(theOutcome({ status: "failed" }, [delayed(10, jane, until)])?.state).toBe("failed");
  });
});

describe("suppression at acceptance", () => {
  test("the event says why and since when", () => {
    const since = "2026-09-02T08:00:00.000Z";
    const event = anEvent("Suppression", 0, { suppression_reason: "complaint", suppressed_at: since });
    expect(theOutcome({ status: "suppressed" }, [event], [jane])).toMatchObject({
      state: "suppressed",
      suppression: { reason: "complaint", since },
    });
  });

  test("the acceptance alone is enough", () => {
    const send = aSend({ status: "sent", to_addresses: [jane, "bob@oakmere.example"] });
    const states = outcomesOf(send, aTimeline(send, [], ["bob@oakmere.example"])).map(({ state }) => state);
    expect(states).toEqual(["sent", "suppressed"]);
  });
});

test("addresses match in any case, and the send's spelling is shown", () => {
  const send = aSend({ to_addresses: ["Jane@Whitaker.example"] });
  const outcomes = outcomesOf(send, aTimeline(send, [delivered(10)]));
  expect(outcomes).toMatchObject([{ address: "Jane@Whitaker.example", state: "delivered" }]);
});

test("an address that the mail was forwarded to is a row of its own", () => {
  const send = aSend({ status: "bounced" });
  const outcomes = outcomesOf(send, aTimeline(send, [delivered(10), bounced(20, "old@elsewhere.example")]));
  expect(outcomes).toMatchObject([
    { address: jane, state: "delivered", isForwarded: false },
    { address: "old@elsewhere.example", state: "bounced", isForwarded: true },
  ]);
});

test("50 recipients keep their own outcomes, and problems come first", () => {
  const to_addresses = Array.from({ length: 50 }, (_, index) => `r${index}@example.com`);
  const send = aSend({ status: "bounced", to_addresses });
  const entries = to_addresses.flatMap((address, index) => {
    if (index % 10 === 3) return [bounced(index, address)];
    if (index % 10 === 7) return [delayed(index, address, null)];
    return index === 49 ? [] : [delivered(index, address)];
  });
  const outcomes = outcomesOf(send, aTimeline(send, entries));
  expect(outcomes.map(({ address }) => address)).toEqual(to_addresses);
  const sorted = problemsFirst(outcomes).map(({ state }) => state);
  expect(sorted.slice(0, 11)).toEqual([...Array(5).fill("bounced"), ...Array(5).fill("delayed"), "sent"]);
  expect(sorted.slice(11)).toEqual(Array(39).fill("delivered"));
  expect(isOpen(outcomes)).toBe(true);
  expect(isOpen(outcomes.filter(({ state }) => state === "delivered" || state === "bounced"))).toBe(false);
});
