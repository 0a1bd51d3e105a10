import { expect, test } from "vitest";
import { aDomain, aLook } from "./domain-fixture.ts";
import { domainSentence } from "./domain-sentence.ts";
import { requiredRecords } from "./record-state.ts";

const now = Date.parse("2026-11-16T15:05:00Z");
const found = { status: "found" as const };
const missing = { status: "missing" as const };
const wrong = { status: "wrong" as const, found_value: "x" };
const name = "mail.fernhill.example";

function sentence(...given: Parameters<typeof aDomain>) {
  const domain = aDomain(...given);
  return domainSentence(domain, requiredRecords(domain, undefined, now));
}

test("a new domain says which step is the first", () => {
  expect(sentence()).toEqual({
    lead: `${name} is not verified yet.`,
    rest: "Publish the four records below at your DNS provider. Postern checks them on its own.",
  });
});

test("counts wrong and missing records in words", () => {
  expect(sentence([found, found, wrong, found])).toEqual({
    lead: `${name} is not verified: one of four records is wrong.`,
    rest: "Correct it at your DNS provider.",
  });
  expect(sentence([missing, missing, wrong, found])).toEqual({
    lead: `${name} is not verified: of four records, one is wrong and two are missing.`,
    rest: "Correct it at your DNS provider and publish the missing records below.",
  });
  expect(sentence([missing, missing, missing, missing]).lead).toBe(
    `${name} is not verified: all four records are missing.`,
  );
});

test("says that only SES is awaited when all records are found", () => {
  expect(sentence([found, found, found, found])).toEqual({
    lead: `${name} is not verified yet.`,
    rest: "All four records are found. SES confirms DKIM on its own, usually within minutes; no action is needed.",
  });
});

test("a record that only our resolver does not see is no fault of the owner", () => {
  const domain = aDomain([found, found, wrong, missing]);
  const dns = aLook(domain, [
    found,
    found,
    { status: "wrong", authoritative: { values: ["x"] } },
    { status: "found", resolver: missing },
  ]);
  expect(domainSentence(domain, requiredRecords(domain, dns, now))).toEqual({
    lead: `${name} is not verified: one of four records is wrong.`,
    rest: "Correct it at your DNS provider; one more is published and needs no action.",
  });
});

test("a silent DNS is not the owner's fault", () => {
  expect(sentence([found, {}, found, found]).rest).toContain("does not count against the domain");
});

test("a verified domain can send; one with a lost record has 72 hours", () => {
  expect(sentence([found, found, found, found], { verification_status: "Success" })).toEqual({
    lead: `${name} is verified.`,
    rest: "You can send from every address of this domain.",
  });
  const lost = sentence([missing, found, found, found], { verification_status: "Success" });
  expect(lost.lead).toBe(`${name} is verified, but one of four records is missing.`);
  expect(lost.rest).toContain("72 hours");
});

test("a failed domain is checked on", () => {
  const failed = sentence([missing, missing, missing, missing], { verification_status: "Failed" });
  expect(failed.lead).toBe(`${name} failed the verification: all four records are missing.`);
  expect(failed.rest).toBe(
    "Publish all records below. Postern checks it every hour and accepts it as soon as the records are right.",
  );
});
