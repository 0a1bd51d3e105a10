import { expect, test } from "vitest";
import type { PublishedRecord } from "./published-record.ts";
import { hclString, toTerraform } from "./terraform.ts";
import { toZoneFile } from "./zone-file.ts";

const records: PublishedRecord[] = [
  { type: "TXT", name: "_postern-challenge.mail.acme.example", value: "postern-verify=9f3k" },
  { type: "CNAME", name: "h4vq._domainkey.mail.acme.example", value: "h4vq.dkim.amazonses.com" },
  { type: "CNAME", name: "t9ws._domainkey.mail.acme.example", value: "t9ws.dkim.amazonses.com." },
  { type: "MX", name: "bounce.mail.acme.example", value: "10 feedback-smtp.eu-west-1.amazonses.com" },
];
const text = (value: string): PublishedRecord[] => [{ type: "TXT", name: "_dmarc.acme.example", value }];
const lastLine = (file: string) => file.trimEnd().split("\n").at(-1);
const recordsLine = (file: string) => file.split("\n").find((line) => line.includes("records ="));

test("a zone file has absolute names and targets, each with exactly one dot at the end", () => {
  expect(toZoneFile("mail.acme.example", records)).toBe(
    [
      "; Records of mail.acme.example for Postern",
      '_postern-challenge.mail.acme.example. 3600 IN TXT "postern-verify=9f3k"',
      "h4vq._domainkey.mail.acme.example. 3600 IN CNAME h4vq.dkim.amazonses.com.",
      "t9ws._domainkey.mail.acme.example. 3600 IN CNAME t9ws.dkim.amazonses.com.",
      "bounce.mail.acme.example. 3600 IN MX 10 feedback-smtp.eu-west-1.amazonses.com.",
      "",
    ].join("\n"),
  );
});

test("a zone file splits a text into strings of at most 255 bytes", () => {
  expect(lastLine(toZoneFile("a.example", text("x".repeat(255))))).toBe(
    `_dmarc.acme.example. 3600 IN TXT "${"x".repeat(255)}"`,
  );
  expect(lastLine(toZoneFile("a.example", text("x".repeat(300))))).toBe(
    `_dmarc.acme.example. 3600 IN TXT "${"x".repeat(255)}" "${"x".repeat(45)}"`,
  );
});

test("a zone file counts bytes and does not cut a character in two", () => {
  const line = lastLine(toZoneFile("a.example", text(`${"x".repeat(254)}é`)));
  expect(line).toBe(`_dmarc.acme.example. 3600 IN TXT "${"x".repeat(254)}" "\\195\\169"`);
});

test("a zone file escapes quotation marks, backslashes and line breaks; a semicolon stays inside the quotes", () => {
  expect(lastLine(toZoneFile("a.example", text('a"b\\c\nd; p=none')))).toBe(
    '_dmarc.acme.example. 3600 IN TXT "a\\"b\\\\c\\010d; p=none"',
  );
});

test("Terraform has one resource a record, with names that do not collide", () => {
  const file = toTerraform("mail.acme.example", records);
  expect(file.match(/"aws_route53_record" "\w+"/g)).toEqual([
    '"aws_route53_record" "mail_acme_example_ownership"',
    '"aws_route53_record" "mail_acme_example_dkim_1"',
    '"aws_route53_record" "mail_acme_example_dkim_2"',
    '"aws_route53_record" "mail_acme_example_mail_from"',
  ]);
  expect(file).toContain('  name    = "h4vq._domainkey.mail.acme.example."');
  expect(file).toContain('  records = ["10 feedback-smtp.eu-west-1.amazonses.com."]');
  expect(file).toContain('variable "mail_acme_example_zone_id" {');
});

test("Terraform joins the strings of a long text with escaped quotation marks", () => {
  const line = recordsLine(toTerraform("a.example", text("x".repeat(300))));
  expect(line).toBe(`  records = ["${"x".repeat(255)}\\"\\"${"x".repeat(45)}"]`);
});

test("Terraform reads no template in a value", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of Terraform, not of JavaScript
  expect(hclString('${file("x")} %{ if } $5 50%')).toBe('"$${file(\\"x\\")} %%{ if } $5 50%"');
});

test("a domain that begins with a digit gets a valid Terraform name", () => {
  expect(toTerraform("1st.example", text("a"))).toContain('"aws_route53_record" "_1st_example_dmarc"');
});
