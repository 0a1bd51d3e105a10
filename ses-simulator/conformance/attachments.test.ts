import { createHash, randomBytes } from "node:crypto";
import { type Attachment, BadRequestException, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });

const aFile = (changes: Partial<Attachment> = {}): Attachment => ({
  FileName: "a.txt",
  RawContent: Buffer.from("hello"),
  ...changes,
});

function send(...Attachments: Attachment[]) {
  const Simple = { Subject: { Data: "s" }, Body: { Text: { Data: "t" } }, Attachments };
  return running.ses.send(new SendEmailCommand(aMail({ Content: { Simple } })));
}

async function received(messageId = "") {
  return (await running.control("GET", `ledger/${messageId}`)).body.attachments;
}

async function download(messageId = "", number = 0): Promise<Response> {
  return fetch(`${running.url}/_simulator/mails/${messageId}/attachments/${number}`);
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("what SES received", () => {
  test("the ledger has names, types, disposition, id, encoding, size and hash of every attachment in order", async () => {
    const image = randomBytes(3000);
    const { MessageId } = await send(
      aFile({
        FileName: "Grüße «1».png",
        RawContent: image,
        ContentType: "image/png",
        ContentDisposition: "INLINE",
        ContentId: "logo@shop",
        ContentDescription: "Das Logo",
        ContentTransferEncoding: "BASE64",
      }),
      aFile(),
    );
    expect(await received(MessageId)).toEqual([
      {
        fileName: "Grüße «1».png",
        contentType: "image/png",
        contentDisposition: "INLINE",
        contentId: "logo@shop",
        contentDescription: "Das Logo",
        contentTransferEncoding: "BASE64",
        sizeBytes: 3000,
        sha256: sha256(image),
      },
      {
        fileName: "a.txt",
        contentDisposition: "ATTACHMENT",
        contentTransferEncoding: "SEVEN_BIT",
        sizeBytes: 5,
        sha256: sha256(Buffer.from("hello")),
      },
    ]);
  });

  test("a mail without attachments and headers has neither member", async () => {
    const { MessageId } = await send();
    const { body } = await running.control("GET", `ledger/${MessageId}`);
    expect(Object.keys(body)).not.toContain("attachments");
    expect(Object.keys(body)).not.toContain("customHeaders");
  });

  test.each(["BASE64", "QUOTED_PRINTABLE"] as const)(
    "the bytes of a %s attachment come back unchanged",
    async (encoding) => {
      const everyByte = Buffer.from(Array.from({ length: 70_000 }, (_, position) => (position * 7) % 256));
      const { MessageId } = await send(
        aFile({ RawContent: everyByte, ContentTransferEncoding: encoding }),
        aFile({ RawContent: Buffer.alloc(0) }),
      );
      expect(Buffer.from(await (await download(MessageId, 0)).arrayBuffer()).equals(everyByte)).toBe(true);
      expect((await (await download(MessageId, 1)).arrayBuffer()).byteLength).toBe(0);
      expect((await download(MessageId, 2)).status).toBe(404);
      await running.restart();
      expect(Buffer.from(await (await download(MessageId, 0)).arrayBuffer()).equals(everyByte)).toBe(true);
    },
  );

  test("a download has a harmless type and cannot run in the browser", async () => {
    const { MessageId } = await send(aFile({ FileName: 'a"\\ü.html', ContentType: "text/html" }));
    const { headers } = await download(MessageId);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename=\"a___.html\"; filename*=UTF-8''a%22%5C%C3%BC.html",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });
});

describe("rules", () => {
  test("SES accepts names, ids and types up to their limits", async () => {
    const { MessageId } = await send(
      aFile({
        FileName: "ü".repeat(255),
        ContentId: "i".repeat(78),
        ContentType: "t".repeat(78),
        ContentDescription: "d".repeat(1000),
      }),
    );
    expect(MessageId).toBeDefined();
  });

  const refused: [why: string, changes: Partial<Attachment>][] = [
    ["no name", { FileName: undefined }],
    ["an empty name", { FileName: "" }],
    ["a name of 256 characters", { FileName: "n".repeat(256) }],
    ["a line break in the name", { FileName: "a\r\nX: y.txt" }],
    ["no content", { RawContent: undefined }],
    ["an unknown disposition", { ContentDisposition: "HIDDEN" as "INLINE" }],
    ["an empty id", { ContentId: "" }],
    ["an id of 79 characters", { ContentId: "i".repeat(79) }],
    ["an id outside ASCII", { ContentId: "ü" }],
    ["an empty type", { ContentType: "" }],
    ["a type of 79 characters", { ContentType: "t".repeat(79) }],
    ["a line break in the type", { ContentType: "a/b\r\nX: y" }],
    ["a description of 1,001 characters", { ContentDescription: "d".repeat(1001) }],
    ["an unknown encoding", { ContentTransferEncoding: "EIGHT_BIT" as "BASE64" }],
    ["bytes above 127 in the default encoding", { RawContent: Buffer.from("ü") }],
    ["a zero byte in the default encoding", { RawContent: Buffer.alloc(1) }],
    ["a line of 999 characters in the default encoding", { RawContent: Buffer.from("x".repeat(999)) }],
  ];

  test.each(refused)("SES refuses an attachment with %s with a BadRequestException", async (_, changes) => {
    await expect(send(aFile(), aFile(changes))).rejects.toBeInstanceOf(BadRequestException);
  });

  test.each(["a.exe", "a.EXE", "report.pdf.js", ".bat", "a.ps1xml", "a.vsmacros", "a.com. ", "ü.lnk"])(
    "SES refuses the blocked file name %j",
    async (FileName) => {
      await expect(send(aFile({ FileName }))).rejects.toBeInstanceOf(BadRequestException);
    },
  );

  test.each(["exe", "a.exe.txt", "a.json", "a.zip", "a.html"])("SES accepts the file name %j", async (FileName) => {
    expect((await send(aFile({ FileName }))).MessageId).toBeDefined();
  });

  test.each(["%%%%", "aGVsbG8", "aGVs bG8=", "_-8=", "aGVsbG8=\n"])(
    "SES refuses RawContent %j, which is not base64",
    async (RawContent) => {
      const Attachments = [{ FileName: "a.txt", RawContent, ContentTransferEncoding: "BASE64" }];
      const Simple = { Subject: { Data: "s" }, Body: { Text: { Data: "t" } }, Attachments };
      const response = await fetch(`${running.url}/v2/email/outbound-emails`, {
        method: "POST",
        headers: {
          authorization: `AWS4-HMAC-SHA256 Credential=simulator/20260101/any/ses/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`,
          "x-amz-date": "20260101T000000Z",
        },
        body: JSON.stringify(aMail({ Content: { Simple: Simple as object } as never })),
      });
      expect(response.status).toBe(400);
      expect(response.headers.get("x-amzn-errortype")).toBe("BadRequestException");
    },
  );
});

describe("the limit of 40 MB after encoding", () => {
  const encoded = (bytes: number) => Math.ceil(bytes / 3) * 4 * (78 / 76);

  test.each([
    ["one attachment", 29_200_000, 29_300_000, 1],
    ["ten attachments", 2_920_000, 2_930_000, 10],
  ])("SES accepts %s just below it and refuses a little more", async (_, fits, exceeds, count) => {
    expect(encoded(fits * count)).toBeLessThan(40_000_000);
    expect(encoded(exceeds * count)).toBeGreaterThan(40_000_000);
    const files = (bytes: number) =>
      Array.from({ length: count }, () =>
        aFile({ RawContent: Buffer.alloc(bytes, 1), ContentTransferEncoding: "BASE64" }),
      );
    const { MessageId } = await send(...files(fits));
    expect((await received(MessageId))[0].sizeBytes).toBe(fits);
    await expect(send(...files(exceeds))).rejects.toBeInstanceOf(BadRequestException);
  });

  test("a body counts as quoted-printable, where a letter outside ASCII has six characters", async () => {
    const body = (letters: number) => {
      const Simple = { Subject: { Data: "s" }, Body: { Text: { Data: "ü".repeat(letters), Charset: "UTF-8" } } };
      return running.ses.send(new SendEmailCommand(aMail({ Content: { Simple } })));
    };
    expect((await body(6_300_000)).MessageId).toBeDefined();
    await expect(body(6_700_000)).rejects.toBeInstanceOf(BadRequestException);
  });
});
