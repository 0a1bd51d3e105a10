import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { expect, test } from "vitest";
import { aMail } from "../../test/builders.ts";
import { useSimulator } from "../../test/use-simulator.ts";
import type { OpenedMail, OtherMails } from "../mail-view/other-mails.ts";

const stored: OpenedMail[] = [];
let isReachable = true;

const otherMails: OtherMails = {
  label: "test",
  note: "Never sent.",
  async list({ limit, before, words }) {
    if (!isReachable) throw new Error("connection refused");
    const end = before === undefined ? stored.length : stored.findIndex(({ id }) => id === before);
    const matching = stored.slice(0, end).filter(({ subject }) => words.every((word) => subject.includes(word)));
    return matching.toReversed().slice(0, limit);
  },
  find: async (id) => stored.find((mail) => mail.id === id),
};

const running = useSimulator({ otherMails });

function aTestMail(id: string, changes: Partial<OpenedMail> = {}): OpenedMail {
  const destination = { to: ["jane@sandbox.test"], cc: [], bcc: [] };
  const common = { from: "Acme <a@sandbox.test>", replyTo: [], tags: {}, events: [], subject: `Test ${id}` };
  return { id, acceptedAt: new Date().toISOString(), destination, text: "As text", ...common, ...changes };
}

async function accept(changes: Parameters<typeof aMail>[0] = {}): Promise<string> {
  const { MessageId = "" } = await running.ses.send(new SendEmailCommand(aMail(changes)));
  return MessageId;
}

async function search(words: string, page = ""): Promise<string[]> {
  const { body } = await running.control("GET", `mails?search=${encodeURIComponent(words)}${page}`);
  return body.mails.map(({ messageId }: { messageId: string }) => messageId);
}

test("accepted and other mails form one list, newest first, and each page continues the last", async () => {
  const expected: string[] = [];
  for (let count = 0; count < 5; count++) {
    expected.unshift(await accept());
    await nextMillisecond();
    stored.push(aTestMail(`t-${count}`));
    expected.unshift(`t-${count}`);
    await nextMillisecond();
  }
  const listed: string[] = [];
  for (let before: string | undefined = ""; before !== undefined; ) {
    const { body } = await running.control("GET", `mails?limit=3&before=${before}`);
    listed.push(...body.mails.map(({ messageId }: { messageId: string }) => messageId));
    before = body.next;
  }
  expect(listed).toEqual(expected);
});

test("an other mail carries its label, and its text and MIME can be read", async () => {
  const events = [
    { type: "Bounce", recipients: ["jane@sandbox.test"], bounceType: "Permanent", bounceSubType: "General" },
  ];
  stored.push(aTestMail("readable", { html: "<p>Grüße</p>", events: events as OpenedMail["events"] }));
  const { body } = await running.control("GET", "mails?limit=1");
  expect(body.mails).toEqual([
    expect.objectContaining({ messageId: "readable", label: "test", eventTypes: ["Bounce"] }),
  ]);
  const opened = await running.control("GET", "mails/readable");
  expect(opened).toMatchObject({
    status: 200,
    body: { label: "test", note: "Never sent.", text: "As text", html: "<p>Grüße</p>", subject: "Test readable" },
  });
  const raw = await (await fetch(`${running.url}/_simulator/mails/readable/raw`)).text();
  expect(raw).toMatch(/^From: Acme <a@sandbox.test>\r\nTo: jane@sandbox.test\r\nSubject: Test readable\r\n/);
  expect(raw).toContain("Gr=C3=BC=C3=9Fe");
});

test("an other mail shows its headers and attachments like an accepted mail", async () => {
  const bytes = Buffer.from("1,2");
  const attachments = [{ name: "a.csv", type: "text/csv", bytes, isInline: true, contentId: "table" }];
  stored.push(aTestMail("with-parts", { customHeaders: [{ name: "X-Order", value: "42" }], attachments }));
  expect((await running.control("GET", "mails/with-parts")).body).toMatchObject({
    customHeaders: [{ name: "X-Order", value: "42" }],
    attachments: [{ name: "a.csv", type: "text/csv", isInline: true, contentId: "table", sizeBytes: 3 }],
  });
  expect(await (await fetch(`${running.url}/_simulator/mails/with-parts/attachments/0`)).text()).toBe("1,2");
  const raw = await (await fetch(`${running.url}/_simulator/mails/with-parts/raw`)).text();
  expect(raw).toContain("X-Order: 42\r\n");
  expect(raw).toContain(bytes.toString("base64"));
});

test("a search finds every word in sender, recipients and subject together, in any letter case", async () => {
  const Simple = { Subject: { Data: "Ünique invoice", Charset: "UTF-8" }, Body: { Text: { Data: "body-word" } } };
  const Destination = { ToAddresses: ["Jane@example.test"], BccAddresses: ["hidden@example.test"] };
  const messageId = await accept({ FromEmailAddress: "billing@shop.test", Destination, Content: { Simple } });
  for (const words of ["ünique", "INVOICE jane@", "billing@shop hidden", "  jane  "]) {
    expect(await search(words), words).toEqual([messageId]);
  }
  for (const words of ["invoice jack", "body-word", "jane@ invoice jack@"])
    expect(await search(words), words).toEqual([]);
});

test("a search covers other mails, and continues where its first page ends", async () => {
  stored.push(aTestMail("found", { subject: "a needle" }));
  const Simple = { Subject: { Data: "a needle" }, Body: { Text: { Data: "t" } } };
  for (let count = 0; count < 3; count++) await accept({ Content: { Simple } });
  const { body } = await running.control("GET", "mails?search=needle&limit=3");
  expect(body).toMatchObject({ searched: 4000, mails: [{}, {}, {}] });
  expect(await search("needle", `&limit=3&before=${body.next}`)).toHaveLength(1);
});

test("other mails are in the mail view only: the ledger and the count of accepted mails leave them out", async () => {
  const before = (await running.control("GET", "health")).body.accepted;
  stored.push(aTestMail("not-in-the-ledger"));
  const { body } = await running.control("GET", "mails");
  expect(body.accepted).toBe(before);
  expect((await running.control("GET", "health")).body.accepted).toBe(before);
  expect(await (await fetch(`${running.url}/_simulator/ledger.ndjson`)).text()).not.toContain("not-in-the-ledger");
  expect((await running.control("GET", "ledger/not-in-the-ledger")).status).toBe(404);
  const bounce = await running.control("POST", "mails/not-in-the-ledger/events", { type: "Bounce" });
  expect(bounce.status).toBe(404);
});

test("while the other mails cannot be read, the list says so and SES still accepts mail", async () => {
  isReachable = false;
  try {
    expect(await running.control("GET", "mails")).toEqual({
      status: 503,
      body: { error: "The test mails cannot be read: connection refused" },
    });
    expect(await accept()).not.toBe("");
  } finally {
    isReachable = true;
  }
});

async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now; ) await new Promise((resolve) => setImmediate(resolve));
}
