import { describe, expect, test } from "vitest";
import { composeMail } from "./compose-mail.ts";
import type { MailAttachment } from "./mail-parts.ts";
import { parseRawMail } from "./parse-raw-mail.ts";

const everyByte = Buffer.from(Array.from({ length: 2048 }, (_, position) => (position * 31) % 256));

function anAttachment(changes: Partial<MailAttachment> = {}): MailAttachment {
  return {
    name: "x.bin",
    type: "application/octet-stream",
    isInline: false,
    encoding: "BASE64",
    bytes: everyByte,
    ...changes,
  };
}

function compose(
  attachments: MailAttachment[] = [],
  bodies: { text?: string; html?: string } = { text: "t", html: "<p>h</p>" },
) {
  const headers = [{ name: "From", value: "a@shop.test" }];
  const common = { headers, acceptedAt: "2026-11-15T00:00:00.000Z", seed: "0123", customHeaders: [], attachments };
  return composeMail({ ...common, ...bodies });
}

/** The types of the parts, in the order of the mail. */
function structure(mail: Buffer): string[] {
  return [...mail.toString("latin1").matchAll(/^Content-Type: ([^;\r]+)/gm)].map(([, type = ""]) => type);
}

test("a mail composed from simple content parses to the same content and has lines of at most 76 characters", async () => {
  const text = `Grüße = ${"lang ".repeat(60)}\nEnde `;
  const html = "<p>ok</p>";
  const mail = compose([anAttachment()], { text, html });
  for (const line of mail.toString("latin1").split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
  const parsed = await parseRawMail(mail);
  expect(parsed.text?.replaceAll("\r\n", "\n").replace(/\n$/, "")).toBe(text);
  expect(parsed.html?.trimEnd()).toBe(html);
  expect(parsed.attachments).toMatchObject([{ name: "x.bin", type: "application/octet-stream", bytes: everyByte }]);
});

describe("the structure", () => {
  const image = anAttachment({ isInline: true, contentId: "logo", type: "image/png" });

  test("a mail with one body and no attachment has no multipart", () => {
    expect(structure(compose([], { text: "t" }))).toEqual(["text/plain"]);
  });

  test("inline images are related to the body, and files are beside both", () => {
    const expected = "mixed related alternative".split(" ").map((subtype) => `multipart/${subtype}`);
    expect(structure(compose([anAttachment(), image]))).toEqual([
      ...expected,
      "text/plain",
      "text/html",
      "image/png",
      "application/octet-stream",
    ]);
    expect(structure(compose([image], { html: "<p>h</p>" }))).toEqual(["multipart/related", "text/html", "image/png"]);
  });

  test("an inline attachment without an id, or without HTML that could show it, is beside the body", () => {
    expect(structure(compose([{ ...image, contentId: "logo" }], { text: "t" }))[0]).toBe("multipart/mixed");
    expect(structure(compose([anAttachment({ isInline: true })]))[0]).toBe("multipart/mixed");
  });
});

test.each(["BASE64", "QUOTED_PRINTABLE"] as const)("%s carries every byte", async (encoding) => {
  const { attachments } = await parseRawMail(compose([anAttachment({ encoding })]));
  // Of quoted-printable, postal-mime counts the line break before the boundary too.
  expect(attachments[0]?.bytes.subarray(0, everyByte.length).equals(everyByte)).toBe(true);
});

test("SEVEN_BIT carries text as it is", async () => {
  const bytes = Buffer.from("a,b\r\n1,2");
  const mail = compose([anAttachment({ encoding: "SEVEN_BIT", type: "text/csv", bytes })]);
  expect(mail.toString()).toContain("Content-Transfer-Encoding: 7bit\r\n\r\na,b\r\n1,2\r\n");
});

test.each([
  "plain.pdf",
  "Grüße «2026».pdf",
  'a"b\\c.txt',
  "50%; x=y.txt",
  "日本語.png",
  "it's (1)*.txt",
  "a\u202Egnp.txt",
  "..",
  "\ud800.txt",
])("the file name %j survives, and adds no header", async (name) => {
  const mail = compose([anAttachment({ name })]);
  expect(mail.toString("latin1")).toMatch(/^[\t\r\n -~]*$/);
  const { attachments } = await parseRawMail(mail);
  expect(attachments.map((attachment) => attachment.name)).toEqual([name.toWellFormed()]);
});

test("content id and description are headers of the part", async () => {
  const { attachments } = await parseRawMail(
    compose([anAttachment({ contentId: "<logo@shop>", description: "Grüße" })]),
  );
  expect(attachments).toMatchObject([{ contentId: "logo@shop", description: "Grüße" }]);
});
