import { describe, expect, test } from "vitest";
import { urlProblem } from "./check-url.ts";

const rules = { ports: [443], allowsHttp: false };
const problem = (url: string) => urlProblem(url, rules);

test.for([
  "https://hooks.example.com",
  "https://hooks.example.com:443/a/b?c=d#e",
  "HTTPS://Hooks.Example.COM/",
  "https://hooks.example.com./path",
  "https://bücher.de/",
  "https://8.8.8.8/",
  "https://[2606:4700::1111]/",
  `https://a.example/${"x".repeat(2030)}`,
])("%s is accepted", (url) => {
  expect(problem(url)).toBeUndefined();
});

describe("refused in plain words:", () => {
  test.for([
    ["http://hooks.example.com/", "The URL must begin with https://."],
    ["ftp://hooks.example.com/", "The URL must begin with https://."],
    ["javascript:alert(1)", "The URL must begin with https://."],
    ["hooks.example.com", "This is not a URL. It must look like https://hooks.example.com/postern."],
    ["", "This is not a URL. It must look like https://hooks.example.com/postern."],
    ["https://", "This is not a URL. It must look like https://hooks.example.com/postern."],
    ["https://hooks.example.com:0x50/", "This is not a URL. It must look like https://hooks.example.com/postern."],
    [`https://a.example/${"x".repeat(2031)}`, "The URL has more than 2,048 characters."],
    [`https://a.example/${"é".repeat(400)}`, "The URL has more than 2,048 characters."],
    ["https://hooks.exa\tmple.com/", "The URL has a space, a backslash or a control character."],
    [" https://hooks.example.com/", "The URL has a space, a backslash or a control character."],
    ["https:\\\\hooks.example.com\\", "The URL has a space, a backslash or a control character."],
    [
      "https://user@hooks.example.com/",
      "The URL must not have a user name or password. The signature of each notification proves that Postern sent it.",
    ],
    [
      "https://:secret@hooks.example.com/",
      "The URL must not have a user name or password. The signature of each notification proves that Postern sent it.",
    ],
    [
      "https://hooks.example.com:8443/",
      "Port 8443 is not allowed for webhooks. The operator can allow it with the setting WEBHOOK_PORTS.",
    ],
    [
      "https://hooks.example.com:0/",
      "Port 0 is not allowed for webhooks. The operator can allow it with the setting WEBHOOK_PORTS.",
    ],
    ["https://localhost/", '"localhost" means the machine on which Postern runs. Use a name that public DNS knows.'],
    [
      "https://api.localhost./",
      '"api.localhost" means the machine on which Postern runs. Use a name that public DNS knows.',
    ],
    ["https://intranet/", 'The host "intranet" is not a full name. Use one with a domain, such as hooks.example.com.'],
    ["https://intranet./", 'The host "intranet" is not a full name. Use one with a domain, such as hooks.example.com.'],
    ["https://a_b.example/", "The host of the URL is not a domain name."],
    [
      "https://10.1.2.3/",
      "The address 10.1.2.3 is not public: private use (10.0.0.0/8). The operator can allow it to this account with `postern admin webhook-networks`.",
    ],
  ] as const)("%j", ([url, expected]) => {
    expect(problem(url)).toBe(expected);
  });

  test.for([
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "0x7F.0.0.1.",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
  ])("each spelling of a loopback address, such as %s", (host) => {
    expect(problem(`https://${host}/`)).toMatch(/^The address 127\.0\.0\.1 is not public: loopback/);
  });

  test.for([
    ["[::1]", "loopback"],
    ["[0:0:0:0:0:0:0:1]", "loopback"],
    ["[::ffff:127.0.0.1]", "IPv4-mapped"],
    ["[::ffff:8.8.8.8]", "IPv4-mapped"],
    ["[64:ff9b::8.8.8.8]", "NAT64"],
    ["[2002:7f00:1::]", "6to4"],
    ["[fd00:ec2::254]", "unique local"],
    ["[FE80::1]", "link-local"],
    ["[ff02::1]", "multicast"],
  ] as const)("the IPv6 address %s", ([host, range]) => {
    expect(problem(`https://${host}/`)).toContain(` is not public: ${range} `);
  });

  test("a zone id", () => {
    expect(problem("https://[fe80::1%25eth0]/")).toBe(problem("https://"));
  });
});

test("other ports, all ports, http and networks can be allowed, each without the others", () => {
  expect(urlProblem("https://a.example:8443/", { ...rules, ports: [443, 8443] })).toBeUndefined();
  expect(urlProblem("https://a.example/", { ...rules, ports: [8443] })).toContain("Port 443");
  expect(urlProblem("https://a.example:9/", { ...rules, ports: "any" })).toBeUndefined();
  expect(urlProblem("https://a.example:0/", { ...rules, ports: "any" })).toContain("Port 0");
  expect(urlProblem("http://a.example:443/", { ...rules, allowsHttp: true })).toBeUndefined();
  expect(urlProblem("http://a.example/", { ...rules, allowsHttp: true })).toContain("Port 80");
  const allowed = { ...rules, allowedNetworks: ["10.0.0.0/8", "::1/128"] };
  for (const host of ["10.1.2.3", "[::1]"]) expect(urlProblem(`https://${host}/`, allowed)).toBeUndefined();
  for (const host of ["127.0.0.1", "[::ffff:10.1.2.3]"]) expect(urlProblem(`https://${host}/`, allowed)).toBeDefined();
});
