import { describe, expect, onTestFinished, test } from "vitest";
import { useKnotServer } from "../../../test/knot-server.ts";
import { flags, type Script, soa, startScriptedDns, txt } from "../../../test/scripted-dns.ts";
import type { Domain } from "../domain.ts";
import { lookAtDns, type SeenRecord } from "./look-at-dns.ts";
import { reachServer } from "./reachable-server.ts";

const knot = useKnotServer("acme.test");
const starter = "v=DMARC1; p=none;";

function aDomain(domainName: string, changes: Partial<Domain> = {}): Domain {
  return {
    id: 1,
    accountId: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f",
    domainName,
    challengeToken: "challenge",
    configurationSetName: "postern-AA",
    verificationStatus: "Pending",
    identityArn: `arn:aws:ses:eu-west-1:000000000000:identity/${domainName}`,
    dkimTokens: ["one", "two", "three"],
    dkimZone: "dkim.amazonses.com",
    recordChecks: [],
    lastCheckedAt: null,
    nextCheckAt: "2026-11-17T08:00:00.000Z",
    mailFromSubdomain: null,
    mailFromStatus: null,
    ...changes,
  };
}

/** Knot as the resolver and as the name server of the zone. */
function look(domain: Domain) {
  const resolvers = [serverAt(knot.address)];
  return lookAtDns({ resolvers, reach: reachServer(resolvers) }, domain);
}

function serverAt(address: string) {
  const [host = "", port = ""] = address.split(":");
  return { host, port: Number(port) };
}

function only(records: SeenRecord[], purpose: SeenRecord["purpose"]): SeenRecord {
  const [record] = records.filter((seen) => seen.purpose === purpose);
  if (record === undefined) throw new Error(`no record for ${purpose}`);
  return record;
}

describe("the records of a domain", () => {
  test("without any record each needed one is missing, and the advice says what to add", async () => {
    await knot.publish("www.empty.acme.test", "A 192.0.2.1");
    const { zone, records, dmarc } = await look(aDomain("empty.acme.test"));
    expect(zone).toMatchObject({ name: "acme.test", nameServers: ["ns.acme.test"], server: { name: "ns.acme.test" } });
    expect(
      records.map(({ purpose, type, name, isRequired, status }) => ({ purpose, type, name, isRequired, status })),
    ).toEqual([
      {
        purpose: "ownership",
        type: "TXT",
        name: "_postern-challenge.empty.acme.test",
        isRequired: true,
        status: "missing",
      },
      ...["one", "two", "three"].map((token) => {
        const name = `${token}._domainkey.empty.acme.test`;
        return { purpose: "dkim", type: "CNAME", name, isRequired: true, status: "missing" };
      }),
      { purpose: "spf", type: "TXT", name: "empty.acme.test", isRequired: false, status: "missing" },
      { purpose: "dmarc", type: "TXT", name: "_dmarc.empty.acme.test", isRequired: false, status: "missing" },
    ]);
    expect(only(records, "ownership").advice).toBe("Add this record to the zone acme.test, exactly as shown.");
    expect(only(records, "spf").advice).toContain("needs no SPF record here");
    expect(only(records, "dmarc").advice).toContain(`start with ${starter}`);
    expect(dmarc).toBeUndefined();
  });

  test("published records are found at the name server and at the resolver, with their TTL", async () => {
    await knot.publish(
      "_postern-challenge.full.acme.test",
      '120 TXT "postern-verify=challenge"',
      'TXT "another service"',
    );
    for (const token of ["one", "two", "three"]) {
      await knot.publish(`${token}._domainkey.full.acme.test`, `60 CNAME ${token}.dkim.AmazonSES.com.`);
    }
    const { records } = await look(aDomain("full.acme.test"));
    for (const { status, authoritative, resolver, advice } of records.filter(({ isRequired }) => isRequired)) {
      expect([status, authoritative.status, resolver.status, advice]).toEqual(["found", "found", "found", undefined]);
    }
    expect(only(records, "dkim").resolver.view).toEqual({
      kind: "records",
      values: ["one.dkim.amazonses.com"],
      ttlSeconds: 60,
    });
  });

  test("a wrong value is wrong, with the hint of the last check that saw the same", async () => {
    await knot.publish("_postern-challenge.wrong.acme.test", 'TXT "postern-verify=earlier"');
    const record = {
      type: "TXT" as const,
      name: "_postern-challenge.wrong.acme.test",
      value: "postern-verify=challenge",
    };
    const seenWith = async (status: "wrong" | "missing") => {
      const recordChecks = [{ record, status, hint: "A hint." }];
      return only((await look(aDomain("wrong.acme.test", { recordChecks }))).records, "ownership");
    };
    expect(await seenWith("wrong")).toMatchObject({ status: "wrong", advice: "A hint." });
    expect(await seenWith("missing")).toMatchObject({
      advice: "Replace the published value with the expected one, exactly as shown.",
    });
  });
});

describe("DMARC", () => {
  const dmarcOf = async (domainName: string) => {
    const { records, dmarc } = await look(aDomain(domainName));
    return { ...only(records, "dmarc"), dmarc };
  };

  test("p=none is found and fine to start with; a stricter policy needs nothing", async () => {
    await knot.publish("_dmarc.none.acme.test", `TXT "${starter}"`, 'TXT "something else"');
    await knot.publish("_dmarc.reject.acme.test", 'TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"');
    expect(await dmarcOf("none.acme.test")).toMatchObject({
      status: "found",
      dmarc: { policy: "none", name: "_dmarc.none.acme.test" },
      advice: expect.stringContaining("p=none is fine to start with"),
    });
    expect(await dmarcOf("reject.acme.test")).toMatchObject({
      status: "found",
      dmarc: { policy: "reject" },
      advice: undefined,
    });
  });

  test("several records, a misspelt policy and a misspelt version are wrong", async () => {
    await knot.publish("_dmarc.two.acme.test", `TXT "${starter}"`, 'TXT "v=DMARC1; p=reject"');
    await knot.publish("_dmarc.policy.acme.test", 'TXT "v=DMARC1; p=rejected"');
    await knot.publish("_dmarc.version.acme.test", 'TXT "p=none; v=DMARC1"');
    expect(await dmarcOf("two.acme.test")).toMatchObject({
      status: "wrong",
      advice: expect.stringContaining("several DMARC records"),
      dmarc: undefined,
    });
    for (const name of ["policy.acme.test", "version.acme.test"]) {
      expect(await dmarcOf(name)).toMatchObject({
        status: "wrong",
        advice: expect.stringContaining("must begin with"),
      });
    }
  });

  test("a subdomain without a record has the policy for subdomains of its registrable domain", async () => {
    await knot.publish("_dmarc.acme.test", 'TXT "v=DMARC1; p=reject; sp=quarantine"');
    onTestFinished(() => knot.publish("_dmarc.acme.test"));
    expect(await dmarcOf("inherits.acme.test")).toMatchObject({
      status: "missing",
      dmarc: { policy: "quarantine", name: "_dmarc.acme.test" },
      advice: "The policy of _dmarc.acme.test (quarantine) applies. No record is needed here.",
    });
  });
});

describe("a custom MAIL FROM domain", () => {
  const mailFrom = (domainName: string) =>
    aDomain(domainName, { mailFromSubdomain: "bounce", mailFromStatus: "Pending" });

  test("its MX and SPF records are looked at in place of the SPF record of the domain", async () => {
    const { records } = await look(mailFrom("path.acme.test"));
    const shown = records
      .slice(4, 6)
      .map(({ purpose, type, name, expected, status }) => [purpose, type, name, expected, status]);
    expect(shown).toEqual([
      ["mail-from", "MX", "bounce.path.acme.test", "10 feedback-smtp.eu-west-1.amazonses.com", "missing"],
      ["spf", "TXT", "bounce.path.acme.test", "v=spf1 include:amazonses.com ~all", "missing"],
    ]);
  });

  test("exactly one MX record and an SPF record that includes SES are found", async () => {
    await knot.publish(
      "bounce.good.acme.test",
      "MX 20 feedback-smtp.eu-west-1.amazonses.com.",
      'TXT "v=spf1 ip4:192.0.2.1 include:amazonses.com -all"',
    );
    const { records } = await look(mailFrom("good.acme.test"));
    expect([only(records, "mail-from").status, only(records, "spf").status]).toEqual(["found", "found"]);
  });

  test("a second MX record, two SPF records, and one without SES are wrong", async () => {
    await knot.publish(
      "bounce.bad.acme.test",
      "MX 10 feedback-smtp.eu-west-1.amazonses.com.",
      "MX 20 mail.acme.test.",
      'TXT "v=spf1 include:amazonses.com ~all"',
      'TXT "v=spf1 -all"',
    );
    await knot.publish("bounce.other.acme.test", 'TXT "v=spf1 include:notamazonses.com ~all"');
    const { records } = await look(mailFrom("bad.acme.test"));
    expect(only(records, "mail-from")).toMatchObject({ status: "wrong", advice: expect.stringContaining("no other") });
    expect(only(records, "spf")).toMatchObject({ status: "wrong", advice: expect.stringContaining("several SPF") });
    const other = only((await look(mailFrom("other.acme.test"))).records, "spf");
    expect(other).toMatchObject({ status: "wrong", advice: expect.stringContaining("add include:amazonses.com") });
  });
});

describe("the name server and the resolver differ", () => {
  const publicAddress = "203.0.113.53";

  /** A resolver that knows the zone acme.test at `publicAddress`, where the test puts Knot, and answers the rest as scripted. */
  async function lookThrough(domainName: string, rest: Script, reach = () => serverAt(knot.address)) {
    const zone = "acme.test";
    const resolver = await startScriptedDns((question, query) => {
      if (question.type === "SOA") return { answers: [], authorities: [soa(zone, 300, 300)] };
      if (question.type === "NS") return { answers: [{ type: "NS", name: zone, ttl: 300, data: `ns1.${zone}` }] };
      if (question.type === "A")
        return { answers: [{ type: "A", name: question.name, ttl: 300, data: publicAddress }] };
      return rest(question, query);
    });
    onTestFinished(() => resolver.close());
    const seen = await lookAtDns({ resolvers: [resolver], reach }, aDomain(domainName));
    return { ...seen, resolver };
  }

  const absence = { flags: flags.recursive | flags.nameError, authorities: [soa("acme.test", 840, 3600)] };

  test("a record that the resolver does not know yet is found, and the advice says for how long it remembers the absence", async () => {
    await knot.publish("_postern-challenge.new.acme.test", 'TXT "postern-verify=challenge"');
    const { records } = await lookThrough("new.acme.test", () => absence);
    expect(only(records, "ownership")).toMatchObject({
      status: "found",
      authoritative: { status: "found" },
      resolver: { status: "missing", view: { kind: "absent", negativeSeconds: 840 } },
      advice:
        "Your name server has the record. Our resolver remembers its absence for about 14 more minutes and finds the record then.",
    });
  });

  test("an earlier value at the resolver, and a record that was removed, are explained too", async () => {
    await knot.publish("_postern-challenge.changed.acme.test", 'TXT "postern-verify=challenge"');
    const old: Script = ({ name }) => ({ answers: [txt(name, "postern-verify=earlier", 60)] });
    const changed = only((await lookThrough("changed.acme.test", old)).records, "ownership");
    expect(changed).toMatchObject({
      status: "found",
      advice: expect.stringContaining("an earlier value for 60 more seconds"),
    });
    const still: Script = ({ name }) => ({ answers: [txt(name, "postern-verify=challenge", 60)] });
    const removed = only((await lookThrough("removed.acme.test", still)).records, "ownership");
    expect(removed).toMatchObject({ status: "missing", advice: expect.stringContaining("no longer has this record") });
  });

  test("without a name server that may be asked, the resolver decides", async () => {
    const found: Script = ({ name }) => ({ answers: [txt(name, "postern-verify=challenge", 60)] });
    const { zone, records } = await lookThrough("internal.acme.test", found, () => undefined as never);
    expect(zone).toMatchObject({ isInternal: true, server: undefined });
    expect(only(records, "ownership")).toMatchObject({
      status: "found",
      authoritative: { status: "unknown" },
      resolver: { status: "found" },
    });
  });

  test("a resolver that answers nothing costs five seconds at most, and every status is unknown", async () => {
    const silent = await startScriptedDns(() => undefined);
    onTestFinished(() => silent.close());
    const startedAt = performance.now();
    const { zone, records } = await lookAtDns(
      { resolvers: [silent, silent], reach: reachServer([silent]) },
      aDomain("x.test"),
    );
    expect(performance.now() - startedAt).toBeLessThan(6500);
    expect(zone).toBeUndefined();
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(["unknown"]));
    expect(records[0]?.advice).toContain("DNS did not answer");
  });

  test("only names of the domain, its zone and its name servers are asked", async () => {
    const { resolver } = await lookThrough("asked.acme.test", () => absence);
    for (const query of resolver.queries) expect(query).toMatch(/(^| |\.)acme\.test$/);
    expect(resolver.queries.length).toBeLessThan(20);
  });
});
