import { expect, test } from "vitest";
import { adviceRows } from "./advice-rows.ts";
import { aDomain, aLook, aSeenRecord } from "./domain-fixture.ts";

const dmarcName = "_dmarc.mail.fernhill.example";
const mailFrom = {
  domain: "bounce.mail.fernhill.example",
  status: "Pending" as const,
  records: [
    { type: "MX" as const, name: "bounce.mail.fernhill.example", value: "10 feedback-smtp.eu-central-1.amazonses.com" },
    { type: "TXT" as const, name: "bounce.mail.fernhill.example", value: "v=spf1 include:amazonses.com ~all" },
  ],
};

function dmarc(
  status: "found" | "missing" | "wrong" | "unknown",
  values: string[],
  policy: ReturnType<typeof aLook>["dmarc"],
) {
  const domain = aDomain();
  const expected = "v=DMARC1; p=none;";
  const record = aSeenRecord({ name: dmarcName, purpose: "dmarc", status, expected, authoritative: { values } });
  return adviceRows(domain, { ...aLook(domain, [], [record]), dmarc: policy })[0];
}

test("DMARC: none published, observing only, protecting, inherited, invalid", () => {
  expect(dmarc("missing", [], null)).toMatchObject({ status: "not set up", value: "v=DMARC1; p=none;" });
  const weak = dmarc("found", ["v=DMARC1; p=none"], { policy: "none", name: dmarcName });
  expect(weak).toMatchObject({ status: "weak", lead: "DMARC only observes.", value: "v=DMARC1; p=none" });
  expect(weak?.note).toContain("Nobody receives reports");
  const reporting = dmarc("found", ["v=DMARC1; p=none; rua=mailto:a@b.example"], { policy: "none", name: dmarcName });
  expect(reporting?.note).not.toContain("Nobody");
  expect(dmarc("found", ["v=DMARC1; p=reject"], { policy: "reject", name: dmarcName })).toMatchObject({
    status: "found",
  });
  expect(dmarc("missing", [], { policy: "reject", name: "_dmarc.fernhill.example" })).toMatchObject({
    status: "found",
    name: "_dmarc.fernhill.example",
  });
  expect(dmarc("wrong", ["v=DMARC1"], null)).toMatchObject({ status: "wrong", suggestion: "v=DMARC1; p=none;" });
});

test("without a return path of its own, the domain is offered one and needs no SPF record", () => {
  const domain = aDomain();
  const rows = adviceRows(domain, aLook(domain, [], [aSeenRecord({ status: "missing" })]));
  expect(rows).toMatchObject([
    { key: "mail-from", status: "not set up", offers: "mail-from" },
    { status: "not needed", lead: "No SPF record is needed." },
  ]);
});

test("a return path shows its MX record and what SES found", () => {
  const at = (status: "Pending" | "Success" | "Failed", live: "found" | "missing" | "wrong") => {
    const domain = aDomain([], { mail_from: { ...mailFrom, status } });
    const record = aSeenRecord({ type: "MX", name: mailFrom.domain, purpose: "mail-from", status: live });
    return adviceRows(domain, aLook(domain, [], [record]))[0];
  };
  expect(at("Pending", "missing")).toMatchObject({
    status: "not set up",
    name: mailFrom.domain,
    value: mailFrom.records[0]?.value,
  });
  expect(at("Pending", "found")).toMatchObject({
    status: "waiting",
    note: expect.stringContaining("return path of SES"),
  });
  expect(at("Success", "found")).toMatchObject({ status: "found", lead: "SES uses your return path." });
  expect(at("Success", "wrong")).toMatchObject({ status: "wrong" });
  expect(at("Failed", "found")).toMatchObject({
    status: "wrong",
    note: expect.stringContaining("set the return path again"),
  });
});

test("without a look at DNS, only the return path is known", () => {
  expect(adviceRows(aDomain(), undefined).map(({ key }) => key)).toEqual(["mail-from"]);
});
