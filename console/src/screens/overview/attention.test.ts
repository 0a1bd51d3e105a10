import { describe, expect, test } from "vitest";
import { type AttentionFacts, findAttention } from "./attention.ts";

const now = Date.parse("2026-11-16T15:10:00Z");
const nothing: AttentionFacts = {
  mode: "live",
  now,
  account: { held: false, held_reason: null, quotas: [] },
  domains: [],
  keys: [],
  failed: { recipients: 0, from: now, to: now },
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");
const titles = (facts: Partial<AttentionFacts>) =>
  findAttention({ ...nothing, ...facts }).map(({ title }) => plain(title));
const domain = (id: number, status: "Pending" | "Success" | "Failed") => ({
  domain_id: id,
  domain_name: `d${id}.example`,
  verification_status: status,
});
const key = (name: string, days: number | null, type: "live" | "test" = "live") => ({
  id: name,
  name,
  type,
  expires_at: days === null ? null : new Date(now + days * 86_400_000).toISOString(),
});

test("nothing needs attention while all is as it should be or is not known yet", () => {
  expect(titles({})).toEqual([]);
  expect(titles({ account: undefined, domains: undefined, keys: undefined, failed: undefined })).toEqual([]);
});

test("a hold comes first, with its reason", () => {
  const account = { held: true, held_reason: "12 of 100 recipients bounced.", quotas: [] };
  const [first] = findAttention({ ...nothing, account, failed: { recipients: 3, from: now, to: now } });
  expect(first).toMatchObject({ kind: "bad", title: "Your mail is on hold", text: "12 of 100 recipients bounced." });
  expect(first?.step.href).toBe("/activity?status=queued");
});

test("the sentences of the guard become title and text, in live mode only", () => {
  const warning =
    "12 of 200 recipients (6 %) bounced permanently. SES reviews senders above 5 %; above 10 % Postern holds the mail.";
  const reputation = {
    state: "warning" as const,
    outcomes: 200,
    hard_bounces: 12,
    complaints: 0,
    bounce_rate: 0.06,
    complaint_rate: 0,
    warnings: [warning],
  };
  const account = { held: false, held_reason: null, quotas: [], reputation };
  expect(findAttention({ ...nothing, account })).toMatchObject([
    {
      kind: "warn",
      title: "12 of 200 recipients (6 %) bounced permanently",
      text: "SES reviews senders above 5 %; above 10 % Postern holds the mail.",
      step: { href: "/activity?status=bounced&since=2026-11-10T00%3A00%3A00Z" },
    },
  ]);
  expect(titles({ account, mode: "test" })).toEqual([]);
});

describe("domains", () => {
  test("that are not verified are named, two at most", () => {
    expect(titles({ domains: [domain(1, "Pending"), domain(2, "Success"), domain(3, "Failed")] })).toEqual([
      "d1.example is not verified",
      "Verification of d3.example failed",
    ]);
    expect(titles({ domains: [1, 2, 3].map((id) => domain(id, "Pending")) })).toEqual(["3 domains are not verified"]);
  });
});

describe("keys", () => {
  test("that expire within 14 days are named, those of the other mode and expired ones are not", () => {
    const keys = [key("soon", 13.9), key("later", 14.1), key("never", null), key("gone", -1), key("t", 1, "test")];
    expect(titles({ keys })).toEqual([expect.stringMatching(/^The API key soon expires on /)]);
  });

  test("are one entry from three on", () => {
    expect(titles({ keys: [key("a", 3), key("b", 2), key("c", 1)] })).toEqual(["3 API keys expire within 14 days"]);
  });
});

describe("quotas", () => {
  const quota = (used: number) => ({ name: "recipients_per_day" as const, limit: 1000, used, trial: false });
  test.for([
    [800, undefined],
    [801, "The quota for recipients a day is 80 % used"],
    [999, "The quota for recipients a day is 99 % used"],
    [1000, "The quota for recipients a day is used up"],
  ] as const)("at %d of 1,000", ([used, title]) => {
    expect(titles({ account: { held: false, held_reason: null, quotas: [quota(used)] } })[0]).toBe(title);
  });
});

test("failed sends link to their list", () => {
  const failed = { recipients: 1, from: now - (now % 3_600_000) - 3_600_000, to: now - (now % 3_600_000) };
  const [item] = findAttention({ ...nothing, mode: "test", failed });
  expect(plain(item?.title ?? "")).toBe("Mail to 1 recipient failed");
  expect(item?.step.href).toBe(
    "/activity?status=failed&since=2026-11-16T14%3A00%3A00Z&until=2026-11-16T15%3A00%3A00Z&mode=test",
  );
});
