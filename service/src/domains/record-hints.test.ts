import { describe, expect, test } from "vitest";
import { useKnotServer } from "../../test/knot-server.ts";
import { checkRecords } from "./check-records.ts";
import { createDnsResolver, type DnsResolver } from "./dns-resolver.ts";
import { dnsRecordsOf } from "./domain.ts";

const knot = useKnotServer();
const token = "Zq3_x-9AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
const ours = `postern-verify=${token}`;
const target = "tokenone.dkim.amazonses.com";

const wildcard = "A wildcard record (*) answers for this name: add the record itself, which takes precedence.";
const extraCharacters =
  "The value has extra quotes, spaces, line breaks or other characters: enter it exactly as shown.";
const split = "The value is split over two TXT records: publish the whole value as one record.";
const otherRegistration = "The value belongs to another registration: remove it and add the one shown here.";
const proxied =
  'This name answers with an address instead of the CNAME: disable the proxy for this record ("DNS only").';

async function hintsFor(domainName: string, resolver = createDnsResolver({ servers: [knot.address] })) {
  const domain = { domainName, challengeToken: token, dkimTokens: ["tokenone"], dkimZone: "dkim.amazonses.com" };
  const { isProven, records } = await checkRecords(resolver, domainName, dnsRecordsOf(domain));
  expect(isProven).toBe(false);
  return { txt: records[0]?.hint, cname: records[1]?.hint };
}

describe("the TXT record", () => {
  const atTheRightName: [what: string, domainName: string, records: string[], hint: string | undefined][] = [
    ["in quotes", "quotes.test", [`"\\"${ours}\\""`], extraCharacters],
    ["in typographic quotes", "curly.test", [`"\\226\\128\\156${ours}\\226\\128\\157"`], extraCharacters],
    ["with a space at its end", "space.test", [`"${ours} "`], extraCharacters],
    ["with a line break inside", "break.test", [`"${ours.slice(0, 30)}\\013\\010${ours.slice(30)}"`], extraCharacters],
    ["in chunks joined by a space", "joined.test", [`"${ours.slice(0, 30)} " "${ours.slice(30)}"`], extraCharacters],
    ["in chunks with their quotes", "chunk.test", [`"${ours.slice(0, 30)}\\" \\"${ours.slice(30)}"`], extraCharacters],
    ["in two records", "two.test", [`"${ours.slice(30)}"`, `"${ours.slice(0, 30)}"`], split],
    ["in two quoted records", "two-q.test", [`"\\"${ours.slice(0, 9)}\\""`, `"\\"${ours.slice(9)}\\""`], split],
    ["of another registration", "old.test", ['"postern-verify=old"'], otherRegistration],
    ["of another service", "spf.test", ['"v=spf1 -all"'], undefined],
    ["that is empty", "void.test", ['""'], undefined],
  ];

  test.for(atTheRightName)("a value %s gets the matching hint", async ([, domainName, records, hint]) => {
    await knot.publish(`_postern-challenge.${domainName}`, ...records.map((record) => `TXT ${record}`));
    expect((await hintsFor(domainName)).txt).toBe(hint);
  });

  const elsewhere: [where: string, domainName: string, foundAt: string, hint: string][] = [
    [
      "under a name with the domain twice",
      "twice.test",
      "_postern-challenge.twice.test.twice.test",
      "The record is at _postern-challenge.twice.test.twice.test because the DNS console adds the domain: " +
        "enter only _postern-challenge as its name.",
    ],
    [
      "under a name with the zone of a subdomain twice",
      "mail.zone.test",
      "_postern-challenge.mail.zone.test.zone.test",
      "The record is at _postern-challenge.mail.zone.test.zone.test because the DNS console adds the domain: " +
        "enter only _postern-challenge.mail as its name.",
    ],
    [
      "at the domain itself",
      "apex.test",
      "apex.test",
      "The record is at apex.test: move it to _postern-challenge.apex.test.",
    ],
    [
      "without the underscore",
      "plain.test",
      "postern-challenge.plain.test",
      "The record is at postern-challenge.plain.test: move it to _postern-challenge.plain.test.",
    ],
    [
      "at the parent domain",
      "mail.above.test",
      "_postern-challenge.above.test",
      "The record is at _postern-challenge.above.test: move it to _postern-challenge.mail.above.test.",
    ],
  ];

  test.for(elsewhere)(
    "a value %s is found, and the hint states the right name",
    async ([, domainName, foundAt, hint]) => {
      await knot.publish(foundAt, `TXT "${ours}"`, 'TXT "v=spf1 -all"');
      expect((await hintsFor(domainName)).txt).toBe(hint);
    },
  );

  // A zone file writes "=" as \061; the answer contains the plain character.
  test.for([".", ".as-cname-added.test."])(
    "a value published as a CNAME ending in %s is recognised",
    async (ending) => {
      const domainName = ending === "." ? "as-cname.test" : "as-cname-added.test";
      await knot.publish(`_postern-challenge.${domainName}`, `CNAME ${ours.replace("=", "\\061")}${ending}`);
      expect((await hintsFor(domainName)).txt).toBe(
        "The value was published as a CNAME record: remove that one and publish it as a TXT record.",
      );
    },
  );

  test("the hint names a CNAME target that does not have the value", async () => {
    await knot.publish("_postern-challenge.alias.test", "CNAME ns.test.");
    expect((await hintsFor("alias.test")).txt).toBe(
      "This name is a CNAME to ns.test, which does not have the value: publish the TXT record there, or instead of the CNAME.",
    );
  });

  test("a wildcard that answers for the name is not mistaken for the record", async () => {
    await knot.publish("*.wild.test", 'TXT "v=spf1 -all"');
    expect((await hintsFor("wild.test")).txt).toBe(wildcard);
  });
});

describe("a DKIM record", () => {
  const doubled: [domainName: string, foundAt: string, entered: string][] = [
    ["twice-c.test", "tokenone._domainkey.twice-c.test.twice-c.test", "tokenone._domainkey"],
    ["mail.zone-c.test", "tokenone._domainkey.mail.zone-c.test.zone-c.test", "tokenone._domainkey.mail"],
  ];

  test.for(doubled)("of %s is found under a name with the zone twice", async ([domainName, foundAt, entered]) => {
    await knot.publish(foundAt, `CNAME ${target}.`);
    expect((await hintsFor(domainName)).cname).toBe(
      `The record is at ${foundAt} because the DNS console adds the domain: enter only ${entered} as its name.`,
    );
  });

  test("is found when the console added the domain to both its name and its target", async () => {
    await knot.publish("tokenone._domainkey.both.test.both.test", `CNAME ${target}.both.test.`);
    expect((await hintsFor("both.test")).cname).toMatch(/^The record is at tokenone._domainkey.both.test.both.test /);
  });

  test("is found under a name without _domainkey", async () => {
    await knot.publish("tokenone.bare.test", `CNAME ${target}.`);
    expect((await hintsFor("bare.test")).cname).toBe(
      "The record is at tokenone.bare.test: move it to tokenone._domainkey.bare.test.",
    );
  });

  test.for(["A 192.0.2.1", "AAAA 2001:db8::1"])("is recognised behind a proxy that answers %s", async (address) => {
    const domainName = `proxied-${address.length}.test`;
    await knot.publish(`tokenone._domainkey.${domainName}`, address);
    expect((await hintsFor(domainName)).cname).toBe(proxied);
  });

  // The server cannot lose a single answer, so the resolver drops it.
  test("with an address gets no proxy hint while a wildcard is not ruled out", async () => {
    await knot.publish("tokenone._domainkey.unclear.test", "A 192.0.2.1");
    const resolver = createDnsResolver({ servers: [knot.address] });
    const findAddresses: DnsResolver["findAddresses"] = async (name) =>
      name.startsWith("tokenone.") ? resolver.findAddresses(name) : { kind: "unanswered", reason: "TIMEOUT" };
    expect((await hintsFor("unclear.test", { ...resolver, findAddresses })).cname).toBeUndefined();
  });

  test.for(["A 192.0.2.1", "CNAME shop.test."])(
    "hidden by a wildcard %s gets the wildcard hint, not the proxy hint",
    async (record) => {
      const domainName = `wild-${record.length}.test`;
      await knot.publish(`*.${domainName}`, record);
      expect((await hintsFor(domainName)).cname).toBe(wildcard);
    },
  );

  test.for(["added.test", "mail.added.test"])(
    "of %s is recognised when the console added the zone to its target",
    async (domainName) => {
      await knot.publish(`tokenone._domainkey.${domainName}`, `CNAME ${target}.added.test.`);
      expect((await hintsFor(domainName)).cname).toBe(
        `The DNS console added the domain to the target: enter ${target}. with the dot at its end.`,
      );
    },
  );

  test.for([`${target}.stranger.test`, "tokentwo.dkim.amazonses.com"])(
    "that points to %s gets no hint",
    async (other) => {
      const domainName = `other-${other.length}.test`;
      await knot.publish(`tokenone._domainkey.${domainName}`, `CNAME ${other}.`);
      expect((await hintsFor(domainName)).cname).toBeUndefined();
    },
  );
});

test("a domain without any record gets no hint, and one without a DNS answer gets the reason", async () => {
  expect(await hintsFor("nothing.test")).toEqual({ txt: undefined, cname: undefined });
  const text =
    "DNS did not answer for this name (SERVFAIL). This does not count against the record; the next check queries it again.";
  expect(await hintsFor("shop.broken")).toEqual({ txt: text, cname: text });
});
