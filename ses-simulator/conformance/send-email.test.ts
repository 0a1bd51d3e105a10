import { BadRequestException, MessageRejected, NotFoundException, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aMail, aRawMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });
const send = (mail: ReturnType<typeof aMail>) => running.ses.send(new SendEmailCommand(mail));
const refusal = (mail: ReturnType<typeof aMail>) =>
  send(mail).then(
    () => "accepted",
    (error) => error,
  );
const ledger = async (messageId = "") => (await running.control("GET", `ledger/${messageId}`)).body;

const raw = "From: orders@shop.test\nTo: customer@example.test\nSubject: Raw\nMIME-Version: 1.0\n\nHello\n";
const text = (Data: string) => ({ Data, Charset: "UTF-8" });
const simple = (changes: object) => ({ Simple: { Subject: text("s"), Body: { Text: text("t") }, ...changes } });

const to = (address: string) => aMail({ Destination: { ToAddresses: [address] } });
const recipients = (count: number) => Array.from({ length: count }, (_, n) => `r${n}@example.test`);
const aCrowdedMail = (bcc: number) =>
  aMail({ Destination: { ToAddresses: recipients(20), CcAddresses: recipients(20), BccAddresses: recipients(bcc) } });

/** Fact sheet, section 2. */
describe("the answer to SendEmail", () => {
  test("the MessageId has 60 characters and contains the region code and the time", async () => {
    const before = Date.now();
    const { MessageId = "" } = await send(aMail());
    expect(MessageId).toMatch(/^[0-9a-f]{16}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-[0-9]{6}$/);
    expect(MessageId).toHaveLength(60);
    expect(MessageId.slice(0, 4)).toBe("0102");
    const time = Number.parseInt(MessageId.slice(4, 16), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  test("a repeated request is a second mail with a new MessageId, because SES has no idempotency token", async () => {
    const [one, two] = [await send(aMail()), await send(aMail())];
    expect(one.MessageId).not.toBe(two.MessageId);
    const records = [await ledger(one.MessageId), await ledger(two.MessageId)];
    expect(records[0].contentHash).toBe(records[1].contentHash);
  });
});

describe("content", () => {
  test("SES accepts simple content with text, HTML, headers and an attachment", async () => {
    const Content = simple({
      Body: { Text: text("t"), Html: text("<p>t</p>") },
      Headers: [{ Name: "X-Postern-Send-Id", Value: "42" }],
      Attachments: [{ FileName: "a.txt", RawContent: Buffer.from("hello") }],
    });
    const { MessageId } = await send(aMail({ Content }));
    expect((await ledger(MessageId)).headers).toContainEqual({ name: "X-Postern-Send-Id", value: "42" });
  });

  test("SES accepts raw content and uses its From header if FromEmailAddress is absent", async () => {
    const { MessageId } = await send(aRawMail(raw));
    expect(await ledger(MessageId)).toMatchObject({ from: "orders@shop.test", subject: "Raw" });
  });

  test("SES reads the recipients of raw content from its headers if Destination is absent", async () => {
    const { MessageId } = await send(aRawMail(raw, { Destination: undefined }));
    expect((await ledger(MessageId)).destination.to).toEqual(["customer@example.test"]);
  });

  test("Destination replaces the recipients in the headers of raw mail", async () => {
    const { MessageId } = await send(aRawMail(raw, { Destination: { ToAddresses: ["other@example.test"] } }));
    expect((await ledger(MessageId)).destination.to).toEqual(["other@example.test"]);
  });

  test("SES overwrites Date and Message-ID of raw mail and removes Bcc", async () => {
    const { MessageId } = await send(aRawMail(`Message-ID: <mine>\nDate: yesterday\nBcc: x@y.test\n${raw}`));
    const { headers } = await ledger(MessageId);
    const names = headers.map(({ name }: { name: string }) => name.toLowerCase());
    expect(names).not.toContain("bcc");
    expect(names).not.toContain("date");
    expect(headers).toContainEqual({ name: "Message-ID", value: `<${MessageId}@eu-west-1.amazonses.com>` });
  });

  test("the tags of the request replace the tags of the X-SES-MESSAGE-TAGS header", async () => {
    const tagged = `X-SES-MESSAGE-TAGS: a=1, b=2\n${raw}`;
    const both = await send(aRawMail(tagged, { EmailTags: [{ Name: "c", Value: "3" }] }));
    expect((await ledger(both.MessageId)).tags).toEqual({ c: ["3"] });
    expect((await ledger((await send(aRawMail(tagged))).MessageId)).tags).toEqual({ a: ["1"], b: ["2"] });
  });

  const refused: [why: string, mail: ReturnType<typeof aMail>][] = [
    ["no content", aMail({ Content: undefined })],
    ["both simple and raw", aMail({ Content: { ...simple({}), Raw: { Data: Buffer.from(raw) } } })],
    ["no body", aMail({ Content: simple({ Body: {} }) })],
    ["no subject", aMail({ Content: simple({ Subject: undefined }) })],
    ["raw mail without an empty line", aRawMail("From: orders@shop.test")],
    ["raw mail without a From header", aRawMail("Subject: x\n\nHello", { FromEmailAddress: "orders@shop.test" })],
    ["raw mail with a line of 1,001 characters", aRawMail(`${raw}${"x".repeat(1001)}\n`)],
  ];

  test.each(refused)("SES refuses content with a BadRequestException: %s", async (_, mail) => {
    expect(await refusal(mail)).toBeInstanceOf(BadRequestException);
  });

  test("raw mail that repeats a single-use header is a MessageRejected", async () => {
    expect(await refusal(aRawMail(`Subject: two\n${raw}`))).toBeInstanceOf(MessageRejected);
  });

  test("an unknown template is a NotFoundException", async () => {
    const Content = { Template: { TemplateName: "none", TemplateData: "{}" } };
    expect(await refusal(aMail({ Content }))).toBeInstanceOf(NotFoundException);
  });
});

describe("tags", () => {
  test("SES accepts a tag of 256 letters, digits, underscores and dashes", async () => {
    const Value = "a_-9".repeat(64);
    const { MessageId } = await send(aMail({ EmailTags: [{ Name: "send_id", Value }] }));
    expect((await ledger(MessageId)).tags).toEqual({ send_id: [Value] });
  });

  test.each([
    ["a dot", "a.b"],
    ["a space", "a b"],
    ["257 characters", "a".repeat(257)],
    ["nothing", ""],
  ])("SES refuses a tag with %s", async (_, Value) => {
    expect(await refusal(aMail({ EmailTags: [{ Name: "x", Value }] }))).toBeInstanceOf(BadRequestException);
    expect(await refusal(aMail({ EmailTags: [{ Name: Value, Value: "x" }] }))).toBeInstanceOf(BadRequestException);
  });
});

describe("addresses", () => {
  test.each([
    ["a!b@example.test"],
    ["user+label@example.test"],
    ["Name <a@example.test>"],
    ["<a@example.test>"],
    ["Dr. Name O'Neill <a@example.test>"],
    ['"Name, \\"Shop\\" <x@y.test>" <a@example.test>'],
    ["=?UTF-8?B?w4Q=?= <a@xn--exmple-cua.test>"],
  ])("SES accepts %s", async (address) => expect((await send(to(address))).MessageId).toBeDefined());

  test.each([
    ["no at sign", "nobody"],
    ["no domain", "nobody@"],
    ["no local part", "@example.test"],
    ["Unicode in the local part", "jörg@example.test"],
    ["Unicode in the domain", "a@exämple.test"],
    ["Unicode in the display name", "Jörg <a@example.test>"],
    ["a space", "a b@example.test"],
    ["a line break", "a@example.test\r\nBcc: b@example.test"],
    ["two dots in the domain", "a@example..test"],
    ["an underscore in the domain", "a@exa_mple.test"],
    ["a dot at the end of the local part", "a.@example.test"],
    ["a comma in a name without quotes", "Shop, Inc. <a@example.test>"],
    ["another address before the brackets", "b@example.test, <a@example.test>"],
    ["two addresses in brackets", "<b@example.test> <a@example.test>"],
    ["an unclosed quote", '"Shop <a@example.test>'],
  ])("SES refuses an address with %s with a BadRequestException", async (_, address) => {
    expect(await refusal(to(address))).toBeInstanceOf(BadRequestException);
    expect(await refusal(aMail({ ReplyToAddresses: [address] }))).toBeInstanceOf(BadRequestException);
  });

  test("SES accepts 50 recipients in To, Cc and Bcc together and refuses 51", async () => {
    expect((await send(aCrowdedMail(10))).MessageId).toBeDefined();
    expect(await refusal(aCrowdedMail(11))).toBeInstanceOf(BadRequestException);
    expect(await refusal(aMail({ Destination: {} }))).toBeInstanceOf(BadRequestException);
  });
});

describe("the sender", () => {
  test("the MessageRejected for an unverified sender names the sender and the region", async () => {
    expect(await refusal(aMail({ FromEmailAddress: "Mallory <m@elsewhere.test>" }))).toMatchObject({
      name: "MessageRejected",
      message:
        "Email address is not verified. The following identities failed the check in region EU-WEST-1: m@elsewhere.test",
    });
  });

  test("a verified parent domain authorises the sender in any letter case", async () => {
    expect((await send(aMail({ FromEmailAddress: "a@Eu.Mail.SHOP.test" }))).MessageId).toBeDefined();
    expect(await refusal(aMail({ FromEmailAddress: "a@notshop.test" }))).toBeInstanceOf(MessageRejected);
  });

  test("an unknown configuration set, tenant or contact list is a NotFoundException", async () => {
    expect(await refusal(aMail({ ConfigurationSetName: "none" }))).toBeInstanceOf(NotFoundException);
    expect(await refusal(aMail({ TenantName: "none" }))).toBeInstanceOf(NotFoundException);
    const ListManagementOptions = { ContactListName: "none" };
    expect(await refusal(aMail({ ListManagementOptions }))).toBeInstanceOf(NotFoundException);
  });
});
