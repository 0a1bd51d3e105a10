import { expect, test } from "vitest";
import { parseRawMail } from "./parse-raw-mail.ts";

const mailOf = (lines: string[]) => Buffer.from(lines.join("\r\n"), "latin1");

test("the parser finds text, HTML and attachments in nested parts", async () => {
  const mail = mailOf([
    "From: a@shop.test",
    'Content-Type: multipart/mixed; boundary="outer"',
    "",
    "--outer",
    "Content-Type: multipart/related; boundary=inner.1+2",
    "",
    "--inner.1+2",
    "Content-Type: multipart/alternative; boundary=alt",
    "",
    "--alt",
    "Content-Type: text/plain; charset=iso-8859-1",
    "",
    "Gr\xfc\xdfe",
    "--alt",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from("<b>Grüße</b>").toString("base64"),
    "--alt--",
    "--inner.1+2",
    "Content-Type: image/png",
    "Content-Disposition: inline; filename*=UTF-8''Gr%C3%BC%C3%9Fe.png",
    "Content-ID: <logo@shop>",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "=00=FF",
    "--inner.1+2--",
    "--outer",
    "Content-Type: application/pdf",
    'Content-Disposition: attachment; filename="a b.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    "MTIzNDU=",
    "--outer",
    "Content-Type: message/rfc822",
    "",
    "Subject: inside",
    "",
    "A forwarded mail",
    "--outer--",
    "",
  ]);
  const { text, html, attachments } = await parseRawMail(mail);
  expect(text?.trim()).toBe("Grüße");
  expect(html?.trim()).toBe("<b>Grüße</b>");
  expect(attachments).toMatchObject([
    { name: "Grüße.png", type: "image/png", isInline: true, contentId: "logo@shop" },
    { name: "a b.pdf", type: "application/pdf", isInline: false },
    { name: "unnamed", type: "message/rfc822" },
  ]);
  expect(attachments.map(({ bytes }) => bytes.toString("latin1").trimEnd())).toEqual([
    "\0\xff",
    "12345",
    "Subject: inside\n\nA forwarded mail",
  ]);
});

test("the custom headers are those that neither SES nor MIME sets", async () => {
  const { customHeaders } = await parseRawMail(
    mailOf([
      "From: a@shop.test",
      "Subject: s",
      "X-Order: 42",
      "X-SES-CONFIGURATION-SET: c",
      "List-Unsubscribe: <https://shop.test/u>,",
      " <mailto:u@shop.test>",
      "Content-Type: text/plain",
      "",
      "Hello",
    ]),
  );
  expect(customHeaders).toEqual([
    { name: "X-Order", value: "42" },
    { name: "List-Unsubscribe", value: "<https://shop.test/u>, <mailto:u@shop.test>" },
  ]);
});

test("a mail with endless nesting has no parts, and its MIME stays readable", async () => {
  const endless = 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(1000);
  expect(await parseRawMail(Buffer.from(endless))).toEqual({ customHeaders: [], attachments: [] });
});
