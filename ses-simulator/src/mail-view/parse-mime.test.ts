import { expect, test } from "vitest";
import { composeMail } from "./compose-mail.ts";
import { parseMime } from "./parse-mime.ts";

test("the parser finds text, HTML and attachments in nested parts", () => {
  const mail = [
    "From: a@shop.test",
    'Content-Type: multipart/mixed; boundary="outer"',
    "",
    "--outer",
    "Content-Type: multipart/alternative; boundary=inner.1+2",
    "",
    "--inner.1+2",
    "Content-Type: text/plain; charset=iso-8859-1",
    "",
    "Gr\xfc\xdfe",
    "--inner.1+2",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from("<b>Grüße</b>").toString("base64"),
    "--inner.1+2--",
    "--outer",
    "Content-Type: application/pdf",
    'Content-Disposition: attachment; filename="a b.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    "MTIzNDU=",
    "--outer--",
    "",
  ].join("\r\n");
  expect(parseMime(mail)).toEqual({
    text: "Grüße",
    html: "<b>Grüße</b>",
    attachments: [{ name: "a b.pdf", type: "application/pdf", sizeBytes: 5 }],
  });
});

test("the parser stops at a fixed depth in a mail with endless nesting", () => {
  const endless = 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(1000);
  expect(parseMime(endless).attachments.length).toBeLessThan(5);
});

test("a mail composed from simple content parses to the same content and has lines of at most 76 characters", () => {
  const text = `Grüße = ${"lang ".repeat(60)}\nEnde `;
  const html = "<p>ok</p>";
  const Simple = {
    Body: { Text: { Data: text, Charset: "UTF-8" }, Html: { Data: html, Charset: "UTF-8" } },
    Attachments: [{ FileName: "x.bin", RawContent: Buffer.alloc(300).toString("base64") }],
  };
  const record = {
    headers: [{ name: "From", value: "a@shop.test" }],
    acceptedAt: "2026-11-15T00:00:00.000Z",
    contentHash: "0".repeat(64),
  };
  const mail = composeMail(record, JSON.stringify({ Simple })).toString("latin1");
  for (const line of mail.split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
  const parsed = parseMime(mail);
  expect(parsed.text?.replaceAll("\r\n", "\n")).toBe(text);
  expect(parsed.html).toBe(html);
  expect(parsed.attachments).toEqual([{ name: "x.bin", type: "application/octet-stream", sizeBytes: 300 }]);
});
