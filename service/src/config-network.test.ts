import { describe, expect, test } from "vitest";
import { configProblems } from "../test/config-problems.ts";
import { anEnvironment } from "../test/test-config.ts";
import { readConfig } from "./config.ts";

describe("TRUSTED_PROXIES", () => {
  test("accepts addresses and ranges of both families, with spaces between them", () => {
    const { http } = readConfig(anEnvironment({ TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,::1,2001:db8::/32, " }));
    expect(http.trustedProxies).toEqual(["10.0.0.0/8", "192.0.2.7", "::1", "2001:db8::/32"]);
  });

  const invalid = [
    "true",
    "*",
    "loopback",
    "proxy.test",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0/8",
    "::1/129",
    "10.0.0.1/8/8",
  ];
  test.for(invalid)("refuses %s", (entry) => {
    expect(configProblems({ TRUSTED_PROXIES: `10.0.0.1,${entry}` })).toEqual([
      `TRUSTED_PROXIES has "${entry}", which is neither an IP address nor a range such as 10.0.0.0/8`,
    ]);
  });
});

describe("DNS_SERVERS", () => {
  test("accepts addresses of both families, with and without a port", () => {
    const text = "10.0.0.2, 10.0.0.3:5353,::1,[2001:db8::53]:5353, ";
    expect(readConfig(anEnvironment({ DNS_SERVERS: text })).dnsServers).toEqual([
      "10.0.0.2",
      "10.0.0.3:5353",
      "::1",
      "[2001:db8::53]:5353",
    ]);
  });

  const invalid = [
    "dns.test",
    "10.0.0.2:",
    "10.0.0.2:0",
    "10.0.0.2:65536",
    "10.0.0.256",
    "[10.0.0.2]:53",
    "[::1]",
    "[::1]:x",
  ];
  test.for(invalid)("refuses %s", (entry) => {
    expect(configProblems({ DNS_SERVERS: `10.0.0.2,${entry}` })).toEqual([
      `DNS_SERVERS has "${entry}", which is not an IP address with or without a port, such as 10.0.0.2 or [::1]:53`,
    ]);
  });
});

describe("WEBHOOK_PORTS", () => {
  test("is 443 by default, and accepts several ports or any", () => {
    const portsOf = (text: string) => readConfig(anEnvironment({ WEBHOOK_PORTS: text })).webhooks.ports;
    expect(portsOf("")).toEqual([443]);
    expect(portsOf("443, 8443,65535")).toEqual([443, 8443, 65_535]);
    expect(portsOf("any")).toBe("any");
  });

  test("http is allowed with the simulator only", () => {
    const ses = {
      POSTERN_PROVIDER: "ses",
      AWS_ENDPOINT_URL_SESV2: "",
      AWS_ENDPOINT_URL_SNS: "",
      AWS_ENDPOINT_URL_SQS: "",
    };
    expect(readConfig(anEnvironment(ses)).webhooks.allowsHttp).toBe(false);
    expect(readConfig(anEnvironment()).webhooks.allowsHttp).toBe(true);
  });

  test.for(["0", "65536", "https", "443-500", "-1", "4e2", "443 8443"])("refuses %s", (entry) => {
    expect(configProblems({ WEBHOOK_PORTS: `443,${entry}` })).toEqual([
      `WEBHOOK_PORTS has "${entry}", which is not a port from 1 to 65535; give ports separated by commas, or any`,
    ]);
  });
});
