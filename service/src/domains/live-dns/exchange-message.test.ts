import { describe, expect, onTestFinished, test } from "vitest";
import { useKnotServer } from "../../../test/knot-server.ts";
import { flags, type Script, soa, startScriptedDns, txt } from "../../../test/scripted-dns.ts";
import { type DnsQuestion, exchangeMessage } from "./exchange-message.ts";
import { readAnswer } from "./read-answer.ts";

const knot = useKnotServer("acme.test");
const question: DnsQuestion = { name: "name.acme.test", type: "TXT" };

async function scripted(script: Script, overTcp?: Script) {
  const server = await startScriptedDns(script, overTcp);
  onTestFinished(() => server.close());
  return server;
}

async function ask(server: { host: string; port: number }, asked = question, isRecursive = true) {
  const packet = await exchangeMessage(server, asked, { isRecursive, signal: AbortSignal.timeout(5000) });
  return readAnswer(packet, asked, isRecursive);
}

function knotServer() {
  const [host = "", port = ""] = knot.address.split(":");
  return { host, port: Number(port) };
}

describe("a real name server", () => {
  test("values and TTL are read, and the chunks of a TXT record become one value", async () => {
    const long = "a".repeat(255);
    await knot.publish("chunks.acme.test", `300 TXT "${long}" "bcd"`);
    expect(await ask(knotServer(), { name: "chunks.acme.test", type: "TXT" }, false)).toEqual({
      kind: "records",
      values: [`${long}bcd`],
      ttlSeconds: 300,
    });
  });

  test("an answer that is too large for UDP is read over TCP", async () => {
    const values = Array.from({ length: 12 }, (_, index) => `${index}-${"x".repeat(200)}`);
    await knot.publish("large.acme.test", ...values.map((value) => `TXT "${value}"`));
    const before = await knot.countQueries();
    const view = await ask(knotServer(), { name: "large.acme.test", type: "TXT" }, false);
    expect(view.kind === "records" && view.values.toSorted()).toEqual(values.toSorted());
    expect((await knot.countQueries()) - before).toBe(2);
  });

  test("an MX record has its preference, and an absent name the negative TTL of the zone", async () => {
    await knot.publish("mx.acme.test", "MX 10 Mail.Example.test.");
    expect(await ask(knotServer(), { name: "mx.acme.test", type: "MX" }, false)).toMatchObject({
      values: ["10 mail.example.test"],
    });
    expect(await ask(knotServer(), { name: "none.acme.test", type: "MX" }, false)).toEqual({
      kind: "absent",
      negativeSeconds: 0,
    });
  });

  test("an alias in the zone is followed, and one into another zone is not taken for an absence", async () => {
    await knot.publish("here.acme.test", "CNAME there.acme.test.");
    await knot.publish("there.acme.test", '60 TXT "found"');
    await knot.publish("away.acme.test", "CNAME policy.vendor.example.");
    expect(await ask(knotServer(), { name: "here.acme.test", type: "TXT" }, false)).toMatchObject({
      values: ["found"],
    });
    expect(await ask(knotServer(), { name: "away.acme.test", type: "TXT" }, false)).toEqual({
      kind: "unanswered",
      problem: "alias-elsewhere",
    });
  });

  test("a name that the zone delegates is not taken for an absence", async () => {
    await knot.publish("sub.acme.test", "NS ns.elsewhere.example.");
    expect(await ask(knotServer(), { name: "_dmarc.sub.acme.test", type: "TXT" }, false)).toEqual({
      kind: "unanswered",
      problem: "delegated",
    });
  });

  test("a server that refuses the zone says nothing about the name", async () => {
    expect(await ask(knotServer(), { name: "name.other.test", type: "TXT" }, false)).toEqual({
      kind: "unanswered",
      problem: "server-error",
    });
  });
});

describe("a server that lies", () => {
  const noAnswer = { kind: "unanswered", problem: "no-answer" };

  test("packets with another id, another name, another type or no DNS are ignored, and the true answer counts", async () => {
    const server = await scripted((_, query) => [
      { id: ((query.id ?? 0) + 1) % 65_536, answers: [txt(question.name, "wrong id")] },
      { questions: [{ name: "other.test", type: "TXT" }], answers: [txt(question.name, "wrong name")] },
      { questions: [{ name: question.name, type: "MX" }], answers: [txt(question.name, "wrong type")] },
      { type: "query", answers: [txt(question.name, "no response")] },
      { answers: [txt(question.name, "true")] },
    ]);
    expect(await ask(server)).toMatchObject({ values: ["true"] });
  });

  test("bytes that are not DNS, also with a name that points at itself, are no answer within 1.5 seconds", async () => {
    const pointer = Buffer.from("00008180000100010000000c00c00c", "hex");
    const packets = [Buffer.alloc(1), Buffer.alloc(64, 0xff), pointer];
    const views = packets.map(async (bytes) => ask(await scripted(() => bytes)));
    expect(await Promise.all(views)).toEqual([noAnswer, noAnswer, noAnswer]);
  });

  test("a silent server is asked three times and then given up", async () => {
    const server = await scripted(() => undefined);
    const startedAt = performance.now();
    expect(await ask(server)).toEqual(noAnswer);
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect(server.queries).toHaveLength(3);
  });

  test("a truncated answer is asked again over TCP; without an answer there it counts for nothing", async () => {
    const truncated: Script = () => ({ flags: flags.truncated, answers: [txt(question.name, "half")] });
    const whole = await scripted(truncated, () => ({ answers: [txt(question.name, "whole")] }));
    expect(await ask(whole)).toMatchObject({ values: ["whole"] });
    expect(whole.queries).toEqual(["TXT name.acme.test", "tcp TXT name.acme.test"]);
    expect(await ask(await scripted(truncated, () => undefined))).toEqual(noAnswer);
    expect(await ask(await scripted(truncated, (_, { id = 0 }) => ({ id: id ^ 1 })))).toEqual(noAnswer);
  });

  test("aliases in a circle, and a chain of more than eight, end", async () => {
    const cname = (name: string, data: string) => ({ type: "CNAME" as const, name, ttl: 60, data });
    const circle = [cname(question.name, "b.test"), cname("b.test", question.name)];
    expect(await ask(await scripted(() => ({ answers: circle })))).toEqual({
      kind: "unanswered",
      problem: "alias-loop",
    });
    const chain = Array.from({ length: 20 }, (_, index) => cname(`${index}.test`, `${index + 1}.test`));
    const answers = [cname(question.name, "0.test"), ...chain, txt("20.test", "too far")];
    expect(await ask(await scripted(() => ({ answers })))).toEqual({ kind: "unanswered", problem: "alias-loop" });
  });

  test("a record of another name in the answer is not taken for the record", async () => {
    const server = await scripted(() => ({ answers: [txt("other.test", "not asked for")] }));
    expect(await ask(server)).toEqual({ kind: "absent", negativeSeconds: undefined });
  });

  test("a closed port and a failing server are no evidence", async () => {
    const server = await startScriptedDns(() => undefined);
    server.close();
    expect(await ask(server)).toEqual(noAnswer);
    const failing = await scripted(() => ({ flags: flags.serverFailure }));
    expect(await ask(failing)).toEqual({ kind: "unanswered", problem: "server-error" });
  });

  test("an answer of a name server that is not authoritative is no evidence", async () => {
    const server = await scripted(() => ({ flags: 0, answers: [txt(question.name, "cached somewhere")] }));
    expect(await ask(server, question, false)).toEqual({ kind: "unanswered", problem: "server-error" });
  });
});

test("the negative TTL is the smaller one of the SOA record's TTL and its minimum", async () => {
  const authorities = [soa("acme.test", 840, 3600)];
  const server = await scripted(() => ({ flags: flags.recursive | flags.nameError, authorities }));
  expect(await ask(server)).toEqual({ kind: "absent", negativeSeconds: 840 });
});
