import { describe, expect, test } from "vitest";
import { formatDateTime } from "../../parts/format-time.ts";
import { outcomesOf } from "./outcome.ts";
import { anEvent, aSend, aTimeline, attempt, bounced, delayed, delivered, type Entry } from "./send-fixture.ts";
import { summarise, toText } from "./summary.ts";

const jane = "jane@whitaker.example";
const bob = "bob@oakmere.example";
const pia = "pia@brightside.example";
const until = "2026-11-17T04:22:00.000Z";

function summary(
  fields: Parameters<typeof aSend>[0],
  entries: Entry[] = [],
  { suppressed = [], now }: { suppressed?: string[]; now?: boolean | undefined } = {},
) {
  const send = aSend(fields);
  const outcomes = outcomesOf(send, aTimeline(send, entries, suppressed));
  const { error_code, error_message } = send;
  const words = summarise({ outcomes, failure: { error_code, error_message }, isSuppressedNow: () => now });
  return toText(words).replaceAll("\u00a0", " ");
}

describe("one recipient", () => {
  test.for<[string, Parameters<typeof aSend>[0], Entry[], string]>([
    ["queued", { status: "queued" }, [], "Queued. Postern has not submitted the mail to SES yet."],
    ["processing", { status: "processing" }, [attempt(5)], "A worker is submitting the mail to SES."],
    [
      "in doubt",
      { status: "processing" },
      [attempt(5, { outcome: "unknown" })],
      "It is not known whether SES accepted the mail: its answer was lost. Postern waits for a report.",
    ],
    ["sent", { status: "sent" }, [], `SES accepted the mail for ${jane}; the receiving server has not answered yet.`],
    ["delivered", {}, [delivered(1200)], `Delivered to ${jane} after 1.2 s.`],
    [
      "delayed",
      { status: "sent" },
      [delayed(37_000, jane, until)],
      `The mailbox of ${jane} is full; SES retries until ${formatDateTime(Date.parse(until))}.`,
    ],
    [
      "delayed without an end",
      { status: "sent" },
      [delayed(37_000, jane, null, "TransientCommunicationFailure")],
      `The server of ${jane} has not accepted the mail yet; SES retries.`,
    ],
    [
      "bounced soft",
      { status: "bounced" },
      [bounced(10, jane, { type: "Transient", cause: "mailbox-full" })],
      `The mailbox of ${jane} is full; SES stopped retrying.`,
    ],
    [
      "suppressed",
      { status: "suppressed" },
      [anEvent("Suppression", 0)],
      `${jane} was suppressed before and got nothing.`,
    ],
    [
      "complained, not spam",
      { status: "complained" },
      [delivered(10), anEvent("Complaint", 20, { complaint_type: "not-spam" })],
      `${jane} got the mail and moved it out of the spam folder.`,
    ],
    [
      "forwarded",
      { status: "bounced" },
      [delivered(1200), bounced(20, "old@else.example")],
      `Delivered to ${jane} after 1.2 s. old@else.example does not exist; the mail was forwarded to this address.`,
    ],
  ])("%s", ([, fields, entries, text]) => {
    expect(summary(fields, entries).replaceAll("\u00a0", " ")).toBe(text.replaceAll("\u00a0", " "));
  });

  test.for([
    [true, " and is now suppressed."],
    [false, "; the address is not suppressed any more."],
    [undefined, " and was suppressed."],
  ] as const)("a hard bounce says what the suppression list says now: %s", ([now, end]) => {
    expect(summary({ status: "bounced" }, [bounced(10, jane)], { now })).toBe(`${jane} does not exist${end}`);
  });

  test("a complaint after the delivery", () => {
    const entries = [delivered(1200), anEvent("Complaint", 9000, { complaint_type: "abuse" })];
    const text = summary({ status: "complained" }, entries, { now: true });
    expect(text).toBe(`${jane} got the mail and reported it as spam and is now suppressed.`);
  });

  test("a late bounce", () => {
    const text = summary({ status: "bounced" }, [delivered(10), bounced(20, jane)], { now: true });
    expect(text).toBe(`${jane} does not exist and is now suppressed; the server had accepted the mail first.`);
  });
});

test.for([
  "unknown-mailbox",
  "inactive-mailbox",
  "mailbox-full",
  "too-large",
  "greylisted",
  "unreachable",
  "spam",
  "blocked-sender",
  "policy",
  "content",
  "too-much-mail",
  "suppressed-by-ses",
  "unclear",
] as const)("a bounce because of %s names the address once, for one and for two", (cause) => {
  const one = summary({ status: "bounced" }, [bounced(10, jane, { cause })], { now: true });
  expect(one.split(jane)).toHaveLength(2);
  expect(one).toMatch(/(exist and|disabled and|; the address) is now suppressed\.$/);
  const entries = [bounced(10, jane, { cause }), bounced(20, bob, { cause })];
  const two = summary({ status: "bounced", to_addresses: [jane, bob] }, entries, { now: true });
  expect(two).toContain(`${jane} and ${bob}`);
  expect(two).toMatch(/(exist and|disabled and|; the addresses) are now suppressed\.$/);
});

test.for([
  [
    "PROVIDER_REJECTED",
    "The provider refused this send: virus",
    "Not sent. SES refused the mail. The provider refused this send: virus.",
  ],
  ["PROVIDER_UNAVAILABLE", null, "Not sent. SES was unavailable until Postern stopped retrying."],
  [
    "PROVIDER_OUTCOME_UNKNOWN",
    null,
    "It is not known whether the mail was sent. SES did not report whether it accepted the mail. The mail may have arrived.",
  ],
  [
    "DOMAIN_NOT_VERIFIED",
    null,
    "Not sent. The domain of the sender was removed, or it was not verified until Postern stopped retrying.",
  ],
  ["MESSAGE_TOO_LARGE", null, "Not sent. SES refused the mail because of its size."],
  ["CANCELLED", null, "Not sent. The mail was cancelled while it was queued."],
  ["EXPIRED", null, "Not sent. The mail expired before Postern could submit it to SES."],
  ["INTERNAL", null, "Not sent. Postern could not build or decrypt the mail."],
  ["A_LATER_CODE", null, "Not sent. The mail was not sent."],
] as const)("failed with %s", ([error_code, error_message, text]) => {
  expect(summary({ status: "failed", error_code, error_message })).toBe(text);
});

describe("several recipients", () => {
  test("the example of the console", () => {
    const tom = "tom@harbourlight.example";
    const accounts = "accounts@tidewater.example";
    const finance = "finance@tidewater.example";
    const entries = [
      delivered(1200, tom),
      bounced(1900, bob),
      delivered(4600, accounts),
      delayed(37_000, pia, until),
      anEvent("Suppression", 0, { recipient: finance }),
    ];
    const to_addresses = [bob, pia, tom, accounts, finance];
    expect(summary({ status: "bounced", to_addresses }, entries, { suppressed: [finance], now: true })).toBe(
      `Delivered to ${tom} after 1.2 s and to ${accounts} after 4.6 s. ${bob} does not exist and is now suppressed. ` +
        `The mailbox of ${pia} is full; SES retries until ${formatDateTime(Date.parse(until)).replaceAll("\u00a0", " ")}. ` +
        `${finance} was suppressed before and got nothing.`,
    );
  });

  test("a failed send with a suppressed recipient names who got nothing", () => {
    const entries = [anEvent("Suppression", 0, { recipient: bob })];
    const fields = { status: "failed", error_code: "MESSAGE_TOO_LARGE", to_addresses: [jane, bob] } as const;
    expect(summary({ ...fields, to_addresses: [jane, bob] }, entries, { suppressed: [bob] })).toBe(
      `Not sent to ${jane}. SES refused the mail because of its size. ${bob} was suppressed before and got nothing.`,
    );
  });

  test("50 recipients are counted, and no more than a few are named", () => {
    const to_addresses = Array.from({ length: 50 }, (_, index) => `r${index}@example.com`);
    const entries = to_addresses.map((address, index) => {
      if (index < 6) return bounced(index, address);
      if (index < 8) return bounced(index, address, { type: "Transient", cause: "mailbox-full" });
      return index < 10 ? anEvent("Suppression", 0, { recipient: address }) : delivered(100 * index, address);
    });
    expect(summary({ status: "bounced", to_addresses }, entries)).toBe(
      "Delivered to 40 recipients, the last after 4.9 s. r0@example.com, r1@example.com and 4 others do not exist and were suppressed. " +
        "The mailboxes of r6@example.com and r7@example.com are full; SES stopped retrying. " +
        "r8@example.com and r9@example.com were suppressed before and got nothing.",
    );
  });

  test("every mixture of states has one clause for each group and ends as text does", () => {
    const to_addresses = Array.from({ length: 50 }, (_, index) => `r${index}@example.com`);
    for (let seed = 1; seed <= 200; seed += 1) {
      const entries = to_addresses.flatMap((address, index): Entry[] => {
        const kind = (index * 7919 + seed * 104_729 + index * index * seed) % 6;
        if (kind === 0) return [delivered(index, address)];
        if (kind === 1) return [bounced(index, address, { type: seed % 2 === 0 ? "Permanent" : "Transient" })];
        if (kind === 2) return [delayed(index, address, seed % 3 === 0 ? null : until)];
        if (kind === 3) return [anEvent("Complaint", index, { recipient: address })];
        return kind === 4 ? [anEvent("Suppression", 0, { recipient: address })] : [];
      });
      const text = summary({ status: "complained", to_addresses }, entries);
      expect(text).toMatch(/\.$/);
      expect(text).not.toMatch(/ {2}|undefined|NaN|\.\.| \./);
      expect(text.length).toBeLessThan(900);
    }
  });
});
