import { BadRequestException, MessageRejected, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { expect, test } from "vitest";
import { aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });

type Pair = [name: string, value: string];

function send(...headers: Pair[]) {
  const Headers = headers.map(([Name, Value]) => ({ Name, Value }));
  const Simple = { Subject: { Data: "s" }, Body: { Text: { Data: "t" } }, Headers };
  return running.ses.send(new SendEmailCommand(aMail({ Content: { Simple } })));
}

const many = (count: number): Pair[] => Array.from({ length: count }, (_, number) => [`X-Number-${number}`, "v"]);

test("the ledger has all custom headers as received, also when events carry fewer", async () => {
  const headers: Pair[] = Array.from({ length: 15 }, (_, number) => [`X-${number}-`.padEnd(126, "n"), "v".repeat(870)]);
  const { MessageId } = await send(...headers);
  const { body } = await running.control("GET", `ledger/${MessageId}`);
  expect(body.customHeaders).toEqual(headers.map(([name, value]) => ({ name, value })));
  expect(body).toMatchObject({ headersTruncated: true });
  const raw = await (await fetch(`${running.url}/_simulator/mails/${MessageId}/raw`)).text();
  for (const [name, value] of headers) expect(raw).toContain(`\r\n${name}: ${value}\r\n`);
});

test("SES accepts every printable character in a name and a value", async () => {
  const name = String.fromCharCode(...Array.from({ length: 94 }, (_, offset) => 33 + offset)).replace(":", "");
  const value = String.fromCharCode(...Array.from({ length: 95 }, (_, offset) => 32 + offset));
  const { MessageId } = await send([name, value]);
  expect((await running.control("GET", `ledger/${MessageId}`)).body.customHeaders).toEqual([{ name, value }]);
});

const refused: [why: string, headers: Pair[]][] = [
  ["16 headers", many(16)],
  ["no name", [["", "v"]]],
  ["a name of 127 characters", [["n".repeat(127), "v"]]],
  ["a name with a colon", [["X:Y", "v"]]],
  ["a name with a space", [["X Y", "v"]]],
  ["a name outside ASCII", [["X-Ü", "v"]]],
  ["no value", [["X-Y", ""]]],
  ["a value of 871 characters", [["X-Y", "v".repeat(871)]]],
  ["a value outside ASCII", [["X-Y", "ü"]]],
  ["a tab in a value", [["X-Y", "a\tb"]]],
  ["a line break in a value", [["X-Y", "a\r\nBcc: b@example.test"]]],
];

test.each(refused)("SES refuses %s with a BadRequestException", async (_, headers) => {
  await expect(send(...headers)).rejects.toBeInstanceOf(BadRequestException);
});

/** Developer Guide, "Amazon SES header fields". */
test.each([
  ..."BCC CC Content-Disposition Content-Type Date From Message-ID MIME-Version Reply-To Return-Path Subject To".split(
    " ",
  ),
  "Content-Transfer-Encoding",
])("SES sets %s itself and refuses it in any letter case", async (name) => {
  for (const variant of [name, name.toLowerCase(), name.toUpperCase()]) {
    await expect(send([variant, "v"])).rejects.toBeInstanceOf(BadRequestException);
  }
});

test("SES accepts 15 headers and repeats of a header, but not of one that a mail has only once", async () => {
  expect((await send(...many(15))).MessageId).toBeDefined();
  expect((await send(["X-Y", "1"], ["X-Y", "2"])).MessageId).toBeDefined();
  await expect(send(["References", "<1@x>"], ["references", "<2@x>"])).rejects.toBeInstanceOf(MessageRejected);
});
