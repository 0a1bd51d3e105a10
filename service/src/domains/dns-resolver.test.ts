import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { useKnotServer } from "../../test/knot-server.ts";
import { createDnsResolver, isSameName } from "./dns-resolver.ts";

const knot = useKnotServer();
const resolver = () => createDnsResolver({ servers: [knot.address] });

describe("records", () => {
  test("the chunks of one TXT record become one value, also beyond 255 characters, and are returned as published too", async () => {
    const [first, second] = ["a".repeat(255), "b".repeat(100)];
    await knot.publish("chunks.test", `TXT "${first}" "${second}"`);
    expect(await resolver().findTxt("chunks.test")).toEqual({
      kind: "records",
      values: [first + second],
      chunks: [[first, second]],
    });
  });

  test("several TXT records at one name stay separate values", async () => {
    await knot.publish("several.test", 'TXT "one"', 'TXT "two words"', 'TXT "th" "ree"');
    const answer = await resolver().findTxt("several.test");
    expect(answer.kind === "records" && answer.values.toSorted()).toEqual(["one", "three", "two words"]);
  });

  // Knot follows a CNAME only inside its zone; the answer of a recursive resolver has the same form.
  test("a TXT query follows a chain of CNAMEs", async () => {
    await knot.publish("_challenge.followed.test", "CNAME middle.followed.test.");
    await knot.publish("middle.followed.test", "CNAME end.hoster.test.");
    await knot.publish("end.hoster.test", 'TXT "at the end"');
    expect(await resolver().findTxt("_challenge.followed.test")).toMatchObject({ values: ["at the end"] });
    expect(await resolver().findCname("_challenge.followed.test")).toEqual({
      kind: "records",
      values: ["middle.followed.test"],
    });
  });

  test("a name is found in any case, with and without the dot at its end", async () => {
    await knot.publish("_Mixed.Case.test", 'TXT "Kept As It Is"');
    for (const name of ["_mixed.case.test", "_MIXED.CASE.TEST", "_mIxEd.cAsE.test."]) {
      expect(await resolver().findTxt(name)).toMatchObject({ values: ["Kept As It Is"] });
    }
  });

  test("a name in A-labels is found", async () => {
    await knot.publish("_challenge.xn--mnchen-3ya.test", 'TXT "servus"');
    expect(await resolver().findTxt("_challenge.xn--mnchen-3ya.test")).toMatchObject({ values: ["servus"] });
  });

  test("a wildcard answers like a record", async () => {
    await knot.publish("*.wild.test", "CNAME shop.test.");
    expect(await resolver().findCname("any.thing.wild.test")).toEqual({ kind: "records", values: ["shop.test"] });
  });

  test("addresses of both families are found", async () => {
    await knot.publish("four.test", "A 192.0.2.1");
    await knot.publish("six.test", "AAAA 2001:db8::1");
    expect(await resolver().findAddresses("four.test")).toEqual({ kind: "records", values: ["192.0.2.1"] });
    expect(await resolver().findAddresses("six.test")).toEqual({ kind: "records", values: ["2001:db8::1"] });
  });

  test("an answer too large for UDP arrives whole over TCP", async () => {
    const values = Array.from({ length: 40 }, (_, index) => `${index}-`.padEnd(200, "x"));
    await knot.publish("large.test", ...values.map((value) => `TXT "${value}"`));
    const before = await knot.countQueries();
    const answer = await resolver().findTxt("large.test");
    expect(answer.kind === "records" && answer.values.toSorted()).toEqual(values.toSorted());
    expect((await knot.countQueries()) - before).toBe(2);
  });

  test("the next query returns a changed record", async () => {
    const sameResolver = resolver();
    await knot.publish("changing.test", 'TXT "old"');
    expect(await sameResolver.findTxt("changing.test")).toMatchObject({ values: ["old"] });
    await knot.publish("changing.test", 'TXT "new"');
    expect(await sameResolver.findTxt("changing.test")).toMatchObject({ values: ["new"] });
    await knot.publish("changing.test");
    expect(await sameResolver.findTxt("changing.test")).toEqual({ kind: "absent" });
  });
});

describe("absent", () => {
  test("a name that does not exist, or has only other records, is absent", async () => {
    await knot.publish("only-txt.test", 'TXT "here"');
    expect(await resolver().findTxt("nobody.test")).toEqual({ kind: "absent" });
    expect(await resolver().findCname("only-txt.test")).toEqual({ kind: "absent" });
    expect(await resolver().findAddresses("only-txt.test")).toEqual({ kind: "absent" });
  });

  test("a CNAME to a name that does not exist, or has no TXT, makes the TXT absent", async () => {
    await knot.publish("dangling.test", "CNAME nobody.test.");
    await knot.publish("textless.test", "CNAME ns.test.");
    expect(await resolver().findTxt("dangling.test")).toEqual({ kind: "absent" });
    expect(await resolver().findTxt("textless.test")).toEqual({ kind: "absent" });
  });
});

describe("a query is unanswered, not absent, after", () => {
  test("SERVFAIL", async () => {
    expect(await resolver().findTxt("shop.broken")).toEqual({ kind: "unanswered", reason: "SERVFAIL" });
    expect(await resolver().findAddresses("shop.broken")).toEqual({ kind: "unanswered", reason: "SERVFAIL" });
  });

  test("REFUSED", async () => {
    expect(await resolver().findCname("shop.refused")).toEqual({ kind: "unanswered", reason: "REFUSED" });
  });

  test("a refused connection", async () => {
    const unreachable = createDnsResolver({ servers: ["127.0.0.1:1"] });
    expect(await unreachable.findTxt("shop.test")).toEqual({ kind: "unanswered", reason: "CONNREFUSED" });
  });

  test("an invalid name", async () => {
    const name = `${"a".repeat(60)}.`.repeat(5);
    expect(await resolver().findTxt(`${name}test`)).toEqual({ kind: "unanswered", reason: "BADNAME" });
  });

  // The next tests use a socket of their own, because Knot cannot be configured to misbehave.
  test("no answer from three servers, within five seconds in total", async () => {
    const servers = await Promise.all([aServer(), aServer(), aServer()]);
    const started = performance.now();
    expect(await createDnsResolver({ servers }).findTxt("shop.test")).toEqual({
      kind: "unanswered",
      reason: "TIMEOUT",
    });
    const tookMs = performance.now() - started;
    expect(tookMs).toBeGreaterThan(4000);
    // More than five seconds, because the machine may be busy with other tests.
    expect(tookMs).toBeLessThan(7_500);
  });

  test("a truncated answer from a server without TCP", async () => {
    const server = await aServer((query) => withFlags(query, 0x82, 0x80));
    expect(await withShortTimeout(server).findTxt("shop.test")).toMatchObject({ kind: "unanswered" });
  });

  test("an answer that is not a DNS message", async () => {
    const server = await aServer((query) => Buffer.concat([withFlags(query, 0x80, 0x80).subarray(0, 12), query]));
    expect(await withShortTimeout(server).findTxt("shop.test")).toMatchObject({ kind: "unanswered" });
  });

  test.for([0x01, 0x1c])("no answer for one address family, type %i", async (failing) => {
    const failingQuestion = Buffer.from([...Buffer.from("test"), 0, 0, failing]);
    const server = await aServer((query) => withFlags(query, 0x80, query.includes(failingQuestion) ? 0x82 : 0x80));
    expect(await withShortTimeout(server).findAddresses("shop.test")).toEqual({
      kind: "unanswered",
      reason: "SERVFAIL",
    });
    expect(await withShortTimeout(server).findCname("shop.test")).toEqual({ kind: "absent" });
  });
});

test("the resolver queries the second server when the first does not answer", async () => {
  await knot.publish("second.test", 'TXT "from the second"');
  const twoServers = createDnsResolver({ servers: [await aServer(), knot.address] });
  expect(await twoServers.findTxt("second.test")).toMatchObject({ values: ["from the second"] });
});

test("creating a resolver with an invalid server address throws", () => {
  expect(() => createDnsResolver({ servers: ["dns.test"] })).toThrow("Invalid IP address");
  expect(() => createDnsResolver({ servers: [] })).not.toThrow();
});

test("names are equal regardless of case and of one dot at their end, and otherwise not", () => {
  expect(isSameName("Token.DKIM.amazonses.com.", "token.dkim.AmazonSES.com")).toBe(true);
  expect(isSameName("token.dkim.amazonses.com..", "token.dkim.amazonses.com")).toBe(false);
  expect(isSameName("a.token.dkim.amazonses.com", "token.dkim.amazonses.com")).toBe(false);
});

const withShortTimeout = (server: string) => createDnsResolver({ servers: [server], timeoutSeconds: 1 });

/** A UDP socket that sends the result of `answer`, or nothing without it. */
async function aServer(answer?: (query: Buffer) => Buffer): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    if (answer !== undefined) socket.send(answer(query), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/**
 * Turns the query into an answer: bytes 2 and 3 of a DNS message hold the answer flag, the truncation flag and the
 * result code.
 */
function withFlags(query: Buffer, second: number, third: number): Buffer {
  const answer = Buffer.from(query);
  answer.writeUInt8(second, 2);
  answer.writeUInt8(third, 3);
  return answer;
}
