import { expect, test } from "vitest";
import { useKnotServer } from "../../test/knot-server.ts";
import { checkRecords } from "./check-records.ts";
import { createDnsResolver } from "./dns-resolver.ts";
import { dnsRecordsOf } from "./domain.ts";

const knot = useKnotServer();
const token = "Zq3_x-9AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
const ours = `postern-verify=${token}`;
const dkimTokens = ["tokenone", "tokentwo", "tokenthree"];

const recordsOf = (domainName: string, challengeToken = token) =>
  dnsRecordsOf({ domainName, challengeToken, dkimTokens, dkimZone: "dkim.amazonses.com" });
const check = (domainName: string, records = recordsOf(domainName)) =>
  checkRecords(createDnsResolver({ servers: [knot.address] }), domainName, records);
const publishTxt = (domainName: string, ...values: string[]) =>
  knot.publish(`_postern-challenge.${domainName}`, ...values.map((value) => `TXT ${value}`));

async function publishDkim(domainName: string) {
  for (const name of dkimTokens) {
    await knot.publish(`${name}._domainkey.${domainName}`, `CNAME ${name}.dkim.amazonses.com.`);
  }
}

async function countDuring(action: () => Promise<unknown>): Promise<number> {
  const before = await knot.countQueries();
  await action();
  return (await knot.countQueries()) - before;
}

test("four correct records are found, prove the domain and cost four DNS queries", async () => {
  await publishTxt("whole.test", `"${ours}"`);
  await publishDkim("whole.test");
  const records = recordsOf("whole.test");
  const queries = await countDuring(async () => {
    expect(await check("whole.test")).toEqual({
      isProven: true,
      records: records.map((record) => ({ record, status: "found", foundValue: record.value })),
    });
  });
  expect(queries).toBe(4);
});

test("a domain without records has four missing records and is not proven", async () => {
  const { isProven, records } = await check("empty.test");
  expect(isProven).toBe(false);
  expect(records).toEqual(recordsOf("empty.test").map((record) => ({ record, status: "missing" })));
});

test("each record has its own status, in the order of the records", async () => {
  await knot.publish("tokenone._domainkey.mixed.test", "CNAME tokenone.dkim.amazonses.com.");
  await knot.publish("tokentwo._domainkey.mixed.test", "CNAME elsewhere.test.");
  const { isProven, records } = await check("mixed.test");
  expect(isProven).toBe(false);
  expect(records.map(({ status }) => status)).toEqual(["missing", "found", "wrong", "missing"]);
  expect(records[2]).toMatchObject({ foundValue: "elsewhere.test" });
});

test("the DKIM records alone prove nothing, and the TXT alone proves the domain", async () => {
  await publishDkim("dkim-only.test");
  expect((await check("dkim-only.test")).isProven).toBe(false);
  await publishTxt("txt-only.test", `"${ours}"`);
  expect((await check("txt-only.test")).isProven).toBe(true);
});

const proofs: [what: string, name: string, records: string[]][] = [
  ["in two chunks of one record", "chunked", [`"${ours.slice(0, 20)}" "${ours.slice(20)}"`]],
  ["among other records", "among", ['"v=spf1 -all"', `"${ours}"`, '"postern-verify=another"']],
];

test.for(proofs)("our value %s proves the domain", async ([, name, records]) => {
  await publishTxt(`${name}.test`, ...records);
  const { isProven, records: checks } = await check(`${name}.test`);
  expect(isProven).toBe(true);
  expect(checks[0]).toMatchObject({ status: "found", foundValue: ours });
});

test("a value beyond 255 characters, published in chunks, proves the domain", async () => {
  const long = "x".repeat(400);
  await publishTxt("long.test", `"postern-verify=${long.slice(0, 240)}" "${long.slice(240)}"`);
  expect((await check("long.test", recordsOf("long.test", long))).isProven).toBe(true);
});

test("our value behind a CNAME of the challenge name proves the domain", async () => {
  await knot.publish("_postern-challenge.delegated.test", "CNAME delegated.hoster.test.");
  await knot.publish("delegated.hoster.test", `TXT "${ours}"`);
  expect((await check("delegated.test")).isProven).toBe(true);
});

test("our value at a wildcard proves the domain", async () => {
  await knot.publish("*.wild-proof.test", `TXT "${ours}"`);
  expect((await check("wild-proof.test")).isProven).toBe(true);
});

const nearly: [what: string, name: string, records: string[]][] = [
  ["split over two records", "two-records", [`"${ours.slice(0, 20)}"`, `"${ours.slice(20)}"`]],
  ["in quotes", "quoted", [`"\\"${ours}\\""`]],
  ["after a space", "space-before", [`" ${ours}"`]],
  ["before a space", "space-after", [`"${ours} "`]],
  ["in other capitals", "capitals", [`"${ours.toLowerCase()}"`]],
  ["inside a longer text", "longer", [`"${ours}0"`]],
  ["cut short", "shorter", [`"${ours.slice(0, -1)}"`]],
];

test.for(nearly)("our value %s does not prove the domain", async ([, name, records]) => {
  await publishTxt(`${name}.test`, ...records);
  const { isProven, records: checks } = await check(`${name}.test`);
  expect(isProven).toBe(false);
  expect(checks[0]).toMatchObject({ status: "wrong" });
});

test("a CNAME target is compared without regard to case", async () => {
  await knot.publish("TokenOne._DomainKey.Case.test", "CNAME TOKENONE.DKIM.AmazonSES.com.");
  const upper = recordsOf("CASE.test").map((record) => ({ ...record, value: `${record.value.toUpperCase()}.` }));
  expect((await check("CASE.test", upper)).records[1]).toMatchObject({ status: "found" });
});

test("a domain in A-labels is checked like any other", async () => {
  await publishTxt("xn--mnchen-3ya.test", `"${ours}"`);
  await publishDkim("xn--mnchen-3ya.test");
  const { isProven, records } = await check("xn--mnchen-3ya.test");
  expect(isProven).toBe(true);
  expect(records.every(({ status }) => status === "found")).toBe(true);
});

test.for(["SERVFAIL shop.broken", "REFUSED shop.refused"])("after %s no record counts as missing", async (text) => {
  const [reason, domainName = ""] = text.split(" ");
  const { isProven, records } = await check(domainName);
  expect(isProven).toBe(false);
  expect(records.map(({ status }) => status)).toEqual(["unknown", "unknown", "unknown", "unknown"]);
  expect(records[0]?.hint).toContain(`(${reason})`);
  expect(await countDuring(() => check(domainName))).toBe(4);
});

test("of several foreign values the one most like ours is returned, shortened and without control characters", async () => {
  await publishTxt(
    "shown.test",
    '"v=spf1 -all"',
    `"postern-verify=a\\010\\027[31m${"b".repeat(200)}" "${"c".repeat(200)}"`,
  );
  const [txt] = (await check("shown.test")).records;
  expect(txt?.foundValue).toMatch(/^postern-verify=a\ufffd\ufffd\[31mb+c+$/);
  expect(txt?.foundValue).toHaveLength(255);
});

test("a check makes at most 28 DNS queries, however much is wrong", async () => {
  await publishTxt("mail.worst.test", '"v=spf1 -all"');
  await knot.publish("*.mail.worst.test", "A 192.0.2.1");
  expect(await countDuring(() => check("mail.worst.test"))).toBe(28);
});
