import { expect, test } from "vitest";
import { formatClock } from "../../parts/format-time.ts";
import { aDomain, aLook } from "./domain-fixture.ts";
import { requiredRecords } from "./record-state.ts";

const now = Date.parse("2026-11-16T15:05:00Z");
const found = { status: "found" as const };
const missing = { status: "missing" as const };

function third(check: NonNullable<Parameters<typeof aDomain>[0]>[number], seen?: Parameters<typeof aLook>[1][number]) {
  const domain = aDomain([found, found, check, found]);
  const dns = seen === undefined ? undefined : aLook(domain, [found, found, seen, found]);
  return requiredRecords(domain, dns, now)[2];
}

test("what DNS answers now counts more than the last check", () => {
  expect(third(missing)?.state).toBe("missing");
  expect(third(missing, found)).toMatchObject({ state: "found" });
  expect(third(found, { status: "missing", advice: "Add it." })).toMatchObject({ state: "missing", note: "Add it." });
});

test("says until when our resolver remembers the absence", () => {
  const negative_until = "2026-11-16T15:33:00.000Z";
  expect(third(missing, { status: "found", resolver: { status: "missing", negative_until } })).toMatchObject({
    state: "waiting",
    lead: "Your name server has it.",
    note: `Our resolver remembers the absence until ${formatClock(Date.parse(negative_until))}, for 28\u00a0min. No action is needed.`,
  });
});

test("a resolver with an earlier value, without an end, or without an answer is waiting too", () => {
  const at = (resolver: object) => third(missing, { status: "found", resolver })?.note;
  expect(at({ status: "wrong", ttl_seconds: 300 })).toContain("an earlier value until");
  expect(at({ status: "missing" })).toBe("Our resolver remembers the absence for a while. No action is needed.");
  expect(at({ status: "unknown" })).toBe("Our resolver did not answer. The next check asks it again.");
});

test("a wrong value is explained, with the advice of the API", () => {
  const values = ["m7xllo0k.dkim.amazonses.com.mail.fernhill.example"];
  const advice = "Enter it with the dot at its end.";
  expect(third(missing, { status: "wrong", authoritative: { values }, advice })).toMatchObject({
    state: "wrong",
    found: values[0],
    lead: "Two differences.",
    note: `The 5th character is the letter l instead of the digit 1, and the DNS provider added your domain to the end. ${advice}`,
  });
});

test("among several TXT values, the one of the same kind is compared", () => {
  const domain = aDomain([missing, found, found, found]);
  const values = ["v=spf1 -all", "postern-verify=9f3kq7x2mzt4c8wx"];
  const dns = aLook(domain, [{ status: "wrong", authoritative: { values } }]);
  expect(requiredRecords(domain, dns, now)[0]).toMatchObject({ found: values[1], lead: "One difference." });
});

test("without an answer of DNS the state is unknown, never missing", () => {
  expect(third({})).toMatchObject({ state: "unknown", lead: "DNS did not answer the last check." });
  expect(requiredRecords(aDomain(), undefined, now)[0]).toMatchObject({ state: "unknown", lead: "Not checked yet." });
});
