import { expect, test } from "vitest";
import { parseDomainName } from "./domain-name.ts";

test.for([
  ["acme.io", "acme.io"],
  ["ACME.io", "acme.io"],
  ["acme.io.", "acme.io"],
  ["mail.acme.co.uk", "mail.acme.co.uk"],
  ["bücher.de", "xn--bcher-kva.de"],
  ["BÜCHER.DE", "xn--bcher-kva.de"],
  ["xn--bcher-kva.de", "xn--bcher-kva.de"],
  ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
  ["faß.de", "xn--fa-hia.de"],
  ["a。b.de", "a.b.de"],
  ["1and1.com", "1and1.com"],
  ["a-b--c.com", "a-b--c.com"],
  [`${"a".repeat(63)}.com`, `${"a".repeat(63)}.com`],
  ["example.com", "example.com"],
  ["mail.example.org", "mail.example.org"],
  ["shop.test", "shop.test"],
  ["printer.local", "printer.local"],
  ["db.internal", "db.internal"],
] as const)("%s is stored as %s", ([given, stored]) => {
  expect(parseDomainName(given)).toBe(stored);
});

test("two Unicode spellings of one name have the same canonical form", () => {
  expect(parseDomainName("e\u0301cole.fr")).toBe(parseDomainName("\u00e9cole.fr"));
});

test.for([
  "",
  ".",
  "acme",
  "com",
  "co.uk",
  "github.io",
  "localhost",
  "home.arpa",
  "127.0.0.1",
  "1.2.3",
  "0x7f.1",
  "[::1]",
  "::1",
  "acme..io",
  ".acme.io",
  "acme.io..",
  "-acme.io",
  "acme-.io",
  "a_b.io",
  "acme.io/path",
  "acme.io:25",
  "user@acme.io",
  "acme.io?x",
  "acme.io#x",
  "a b.io",
  "acme.io\n",
  "acme\u0000.io",
  "%61cme.io",
  "*.acme.io",
  "xn--.de",
  "xn--a.de",
  "ab--cd.de",
  "\u0430pple.com",
  "xn--pple-43d.com",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(130)}com`,
])("%j is refused with a message about domain_name", (given) => {
  expect(() => parseDomainName(given)).toThrow(
    expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: expect.stringMatching(/^domain_name .+\.$/),
      details: [expect.objectContaining({ field: "domain_name" })],
    }),
  );
});

test.for(["sandbox.test", "Sandbox.Test."])("%s is CONFLICT, because every account has it already", (given) => {
  expect(() => parseDomainName(given)).toThrow(
    expect.objectContaining({ code: "CONFLICT", message: expect.stringContaining("sandbox.test") }),
  );
});
