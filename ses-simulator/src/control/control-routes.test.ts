import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aFeedbackPath, aMail, aRawMail } from "../../test/builders.ts";
import { useSimulator } from "../../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });
const send = async (changes = {}) => (await running.ses.send(new SendEmailCommand(aMail(changes)))).MessageId ?? "";

const tagged = (Value: string) => ({ EmailTags: [{ Name: "batch", Value }] });

describe("the ledger", () => {
  test("the ledger has one record per accepted message, with tags, recipients, content hash and time", async () => {
    const EmailTags = [{ Name: "send_id", Value: "s-1" }];
    const messageId = await send({ EmailTags });
    expect((await running.control("GET", `ledger/${messageId}`)).body).toMatchObject({
      messageId,
      tags: { send_id: ["s-1"] },
      destination: { to: ["customer@example.test"], cc: [], bcc: [] },
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      acceptedAt: expect.stringMatching(/Z$/),
      quotaCost: 1,
    });
  });

  test("a query filters the ledger by tag and recipient and returns the newest records first, in pages", async () => {
    const [one, two, three] = [await send(tagged("x")), await send(tagged("y")), await send(tagged("x"))];
    const ids = async (query: string) =>
      (await running.control("GET", `ledger?${query}`)).body.records.map((r: { messageId: string }) => r.messageId);
    expect(await ids("tag=batch:x")).toEqual([three, one]);
    expect(await ids("tag=batch&limit=2")).toEqual([three, two]);
    expect(await ids(`tag=batch&before=${two}`)).toEqual([one]);
    const hidden = await send({ Destination: { BccAddresses: ["Hidden@example.test"] } });
    expect(await ids("recipient=hidden@example.test")).toEqual([hidden]);
    expect((await running.control("GET", "ledger?before=none")).status).toBe(404);
  });

  test("the ledger has no record of a refused message", async () => {
    const { accepted } = (await running.control("GET", "health")).body;
    await expect(send({ FromEmailAddress: "a@unverified.test" })).rejects.toThrow();
    expect((await running.control("GET", "health")).body.accepted).toBe(accepted);
  });

  test("the NDJSON export holds every record, oldest first, and a restart does not change it", async () => {
    for (let number = 0; number < 5; number++) await send();
    const lines = async () =>
      (await (await fetch(`${running.url}/_simulator/ledger.ndjson`)).text()).trimEnd().split("\n");
    const before = await lines();
    const { accepted } = (await running.control("GET", "health")).body;
    expect(before).toHaveLength(accepted);
    const times = before.map((line) => JSON.parse(line).acceptedAt);
    expect(times).toEqual(times.toSorted((a, b) => a.localeCompare(b)));
    await running.restart();
    expect(await lines()).toEqual(before);
  });
});

describe("mails", () => {
  test("the control API returns text, HTML and attachments of a simple and of a raw mail", async () => {
    const Simple = {
      Subject: { Data: "s", Charset: "UTF-8" },
      Body: { Text: { Data: "Grüße", Charset: "UTF-8" }, Html: { Data: "<b>Grüße</b>", Charset: "UTF-8" } },
      Attachments: [{ FileName: "a.pdf", ContentType: "application/pdf", RawContent: Buffer.from("12345") }],
      Headers: [{ Name: "X-Order", Value: "42" }],
    };
    const simple = await send({ Content: { Simple } });
    expect((await running.control("GET", `mails/${simple}`)).body).toMatchObject({
      text: "Grüße",
      html: "<b>Grüße</b>",
      attachments: [{ name: "a.pdf", type: "application/pdf", isInline: false, sizeBytes: 5 }],
      customHeaders: [{ name: "X-Order", value: "42" }],
    });
    const raw =
      "From: a@shop.test\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe\n";
    const { MessageId } = await running.ses.send(new SendEmailCommand(aRawMail(raw)));
    expect((await running.control("GET", `mails/${MessageId}`)).body.text).toContain("Grüße");
  });

  test("the control API shows a mail without a charset as the recipient sees it: as 7-bit text", async () => {
    const Simple = { Subject: { Data: "s" }, Body: { Text: { Data: "Grüße" } } };
    const messageId = await send({ Content: { Simple } });
    expect((await running.control("GET", `mails/${messageId}`)).body.text).toBe("Gr??e");
  });

  test("the control API returns a mail as MIME", async () => {
    const messageId = await send();
    const raw = await (await fetch(`${running.url}/_simulator/mails/${messageId}/raw`)).text();
    expect(raw).toContain("Subject: Your order\r\n");
    expect(raw).toContain(`Message-ID: <${messageId}@eu-west-1.amazonses.com>`);
    expect(raw).toContain("\r\n\r\nIt is on its way.");
    expect((await fetch(`${running.url}/_simulator/mails/none/raw`)).status).toBe(404);
  });

  test.each([
    [{ type: "Bounce" }, "Bounce", { bounce: { bounceType: "Permanent", bounceSubType: "General" } }],
    [
      { type: "Bounce", bounceType: "Transient", bounceSubType: "MailboxFull" },
      "Bounce",
      { bounce: { bounceSubType: "MailboxFull" } },
    ],
    [
      { type: "Complaint", feedbackType: "not-spam" },
      "Complaint",
      { complaint: { complaintFeedbackType: "not-spam" } },
    ],
    [
      { type: "DeliveryDelay", delayType: "SpamDetected" },
      "DeliveryDelay",
      { deliveryDelay: { delayType: "SpamDetected" } },
    ],
    [{ type: "Reject" }, "Reject", { reject: { reason: "Bad content" } }],
  ])("a request for %o publishes that event of an accepted mail", async (event, type, expected) => {
    const path = await aFeedbackPath(running);
    const messageId = await send({ ConfigurationSetName: path.setName });
    await path.next(2);
    const { status, body } = await running.control("POST", `mails/${messageId}/events`, event);
    expect([status, body.published]).toEqual([202, true]);
    expect((await path.next(1))[0]).toMatchObject({ eventType: type, mail: { messageId }, ...expected });
    expect((await running.control("GET", `mails/${messageId}`)).body.triggered).toHaveLength(1);
  });

  test("the control API refuses an event type that SES does not have", async () => {
    const messageId = await send();
    expect((await running.control("POST", `mails/${messageId}/events`, { type: "Opened" })).status).toBe(400);
    expect((await running.control("POST", "mails/none/events", { type: "Bounce" })).status).toBe(404);
  });
});

describe("control", () => {
  test("the control API refuses a change that a browser requests for another web page", async () => {
    const remove = (origin: string) =>
      fetch(`${running.url}/_simulator/rules`, { method: "DELETE", headers: { origin } });
    expect((await remove("https://evil.test")).status).toBe(403);
    expect((await remove(running.url)).status).toBe(200);
  });

  test("the control API refuses invalid requests with 400 and unknown names with 404", async () => {
    expect((await running.control("PUT", "clock", { speed: 0 })).status).toBe(400);
    expect((await running.control("PATCH", "account", { maxSendRat: 1 })).status).toBe(400);
    expect((await running.control("POST", "identities/none.test/verification", { status: "SUCCESS" })).status).toBe(
      404,
    );
    expect((await running.control("POST", "identities/shop.test/verification", { status: "MAYBE" })).status).toBe(400);
    expect((await running.control("GET", "nothing")).status).toBe(404);
    expect((await running.control("GET", "ledger/%E0%A4%A")).status).toBe(400);
    const notJson = await fetch(`${running.url}/_simulator/rules`, { method: "POST", body: "[" });
    expect(notJson.status).toBe(400);
  });
});
