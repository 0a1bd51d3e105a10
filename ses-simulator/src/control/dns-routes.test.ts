import { Resolver } from "node:dns/promises";
import { CreateEmailIdentityCommand, GetEmailIdentityCommand } from "@aws-sdk/client-sesv2";
import { beforeAll, describe, expect, test } from "vitest";
import { useSimulator } from "../../test/use-simulator.ts";

const resolver = new Resolver({ timeout: 2000, tries: 1 });

describe("a simulator that serves DNS", () => {
  const running = useSimulator({ servesDns: true });

  beforeAll(() => resolver.setServers([running.simulator.dnsAddress ?? "none"]));

  test("published records are answered on the UDP port with the number of the simulator, also after a restart", async () => {
    expect(running.simulator.dnsAddress).toBe(`127.0.0.1:${running.simulator.port}`);
    const dns_records = [
      { type: "TXT", name: "_postern-challenge.Acme.io.", value: "postern-verify=abc" },
      { type: "CNAME", name: "token._domainkey.acme.io", value: "token.dkim.amazonses.com" },
    ];
    // The whole answer of Postern to the registration of a domain is accepted as it stands.
    const answer = { domain_id: 7, domain_name: "acme.io", dns_records };
    expect((await running.control("POST", "dns", answer)).status).toBe(201);
    expect(await resolver.resolveTxt("_postern-challenge.acme.io")).toEqual([["postern-verify=abc"]]);
    expect(await resolver.resolveCname("token._domainkey.acme.io")).toEqual(["token.dkim.amazonses.com"]);
    await expect(resolver.resolveTxt("missing.acme.io")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await running.restart();
    resolver.setServers([running.simulator.dnsAddress ?? "none"]);
    expect(await resolver.resolveTxt("_postern-challenge.acme.io")).toEqual([["postern-verify=abc"]]);
  });

  test("a domain is verified at once when its DKIM records are published, and not before", async () => {
    const identity = { EmailIdentity: "shop-demo.io" };
    const { DkimAttributes } = await running.ses.send(new CreateEmailIdentityCommand(identity));
    const statusOf = async () => (await running.ses.send(new GetEmailIdentityCommand(identity))).DkimAttributes?.Status;
    await running.simulator.checkIdentities();
    expect(await statusOf()).toBe("PENDING");
    const dns_records = (DkimAttributes?.Tokens ?? []).map((token) => ({
      type: "CNAME",
      name: `${token}._domainkey.shop-demo.io`,
      value: `${token}.dkim.amazonses.com`,
    }));
    await running.control("POST", "dns", { dns_records });
    expect(await statusOf()).toBe("SUCCESS");
  });

  test("the records can be listed and deleted; a new value replaces the old one", async () => {
    await running.control("DELETE", "dns");
    for (const value of ["one", "two"]) {
      await running.control("POST", "dns", { dns_records: [{ type: "TXT", name: "a.test", value }] });
    }
    const listed = await running.control("GET", "dns");
    expect(listed.body).toEqual({ dns_records: [{ type: "TXT", name: "a.test", value: "two" }] });
    await running.control("DELETE", "dns");
    await expect(resolver.resolveTxt("a.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  test.each([{}, { dns_records: [] }, { dns_records: [{ type: "A", name: "a.test", value: "127.0.0.1" }] }])(
    "a body in another form is refused: %j",
    async (body) => {
      expect(await running.control("POST", "dns", body)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('{"dns_records":[') },
      });
    },
  );
});

describe("a simulator without DNS", () => {
  const running = useSimulator();

  test("refuses records", async () => {
    const dns_records = [{ type: "TXT", name: "a.test", value: "x" }];
    expect((await running.control("POST", "dns", { dns_records })).status).toBe(409);
    expect(running.simulator.dnsAddress).toBeUndefined();
  });
});
