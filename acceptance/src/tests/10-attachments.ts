import { createHash, randomUUID } from "node:crypto";
import type { Check } from "../check.ts";
import type { Answer } from "../client.ts";
import type { TestContext, Tests } from "../suite.ts";
import { liveMail, testMail } from "../test-mail.ts";
import { trackSend } from "../track-send.ts";

const mebibyte = 1024 * 1024;
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const receipt = { filename: 'Rechnung "März".pdf', content_type: "application/pdf", content: base64(everyByte) };
const logo = { filename: "logo.png", content_type: "image/png", content_id: "logo@acme", content: "iVBORw0KGgo=" };
const note = { filename: "note.txt", content: "YQ==" };

export const attachmentTests: Tests = {
  "10.5-01": async (check, context) => {
    const answer = await sendWith(context, { attachments: [receipt, logo, note] });
    check.status("a send with attachments", answer, 202);
    const { body } = await contentOf(context, answer);
    const expected = [receipt, logo, note].map((file, number) => listed(answer, number, file));
    check.equal("the list of the content", body?.attachments, expected);
  },
  "10.5-02": async (check, context) => {
    const answer = await sendWith(context, { attachments: [receipt] });
    const { status, headers, bytes } = await context.admin.asUser("GET", pathOf(answer, 0));
    check.equal("the status of the download", status, 200);
    check.equal("the bytes", bytes.toString("hex"), everyByte.toString("hex"));
    check.equal("the type", headers.get("content-type"), "application/octet-stream");
    const name = "UTF-8''Rechnung%20%22M%C3%A4rz%22.pdf";
    check.matches("the disposition", headers.get("content-disposition"), /^attachment; filename="[\w .]+";/);
    check.holds("the name", headers.get("content-disposition")?.endsWith(name) === true, [...headers]);
    check.equal("nosniff", headers.get("x-content-type-options"), "nosniff");
    check.matches("the policy", headers.get("content-security-policy"), /\bsandbox\b/);
    check.matches("the cache", headers.get("cache-control"), /\bno-store\b/);
  },
  "10.5-03": async (check, context) => {
    const view = context.simulator();
    const mail = { ...liveMail(context), attachments: [receipt, logo] };
    const { record } = await trackSend(context.admin, "live", mail, ["delivered"], 60);
    const { attachments } = await view.mail(record.provider_message_id);
    check.equal(
      "names, types and ids",
      attachments?.map(({ name, type, contentId }: Record<string, unknown>) => [name, type, contentId]),
      [
        [receipt.filename, receipt.content_type, undefined],
        [logo.filename, logo.content_type, logo.content_id],
      ],
    );
    for (const [number, { content }] of [receipt, logo].entries()) {
      const bytes = await view.attachment(record.provider_message_id, number);
      check.equal(`the bytes of attachment ${number}`, base64(bytes), content);
    }
  },
  "10.5-04": async (check, context) => {
    const names = ["", "x".repeat(256), "../note.txt", "a\\b.txt", "a\r\nb.txt", "a\u202Etxt.pdf", "a.exe", "a.JS. "];
    await checkEachRefused(check, context, "filename", names);
  },
  "10.5-05": async (check, context) => {
    await checkEachRefused(check, context, "content", ["YQ", "YQ=", "Y Q==", "YQ==\n", "__8=", "YQ==YQ==", "a!=="]);
  },
  "10.5-06": async (check, context) => {
    const types = ["text", "text/plain\r\nX-A: b", `text/${"x".repeat(74)}`, "multipart/mixed", "message/rfc822"];
    await checkEachRefused(check, context, "content_type", types);
  },
  "10.5-07": async (check, context) => {
    await checkEachRefused(check, context, "content_id", ["<logo>", "a b", "a@b@c", "", "x".repeat(79)]);
    const twice = await sendWith(context, { attachments: [logo, { ...logo, filename: "b.png" }] });
    check.error("a send with one content_id twice", twice, 422, "VALIDATION_ERROR");
  },
  "10.5-08": async (check, context) => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...note, filename: `${index}.txt` }));
    check.status("50 attachments", await sendWith(context, { attachments: files(50) }), 202);
    const answer = await sendWith(context, { attachments: files(51) });
    check.error("51 attachments", answer, 422, "VALIDATION_ERROR");
  },
  "10.5-09": async (check, context) => {
    const half = base64(Buffer.alloc(5 * mebibyte));
    const attachments = [{ ...note, content: half }, { ...note, content: half }, note];
    const answer = await sendWith(context, { attachments });
    check.error("10 MiB and a byte", answer, 422, "VALIDATION_ERROR");
    check.equal("the fields of the problems", fieldsOf(answer), ["attachments"]);
  },
  "10.5-10": async (check, context) => {
    const attachments = [
      { filename: "a/b.txt", content: "!", content_type: "text" },
      { ...note, content_id: "<logo>", extra: 1 },
    ];
    const answer = await sendWith(context, { attachments });
    check.error("a send with five problems", answer, 422, "VALIDATION_ERROR");
    check.sameSet("the fields of the problems", fieldsOf(answer), [
      "attachments[0].content",
      "attachments[0].content_type",
      "attachments[0].filename",
      "attachments[1].content_id",
      "attachments[1].extra",
    ]);
  },
  "10.5-11": async (check, context) => {
    const mail = { ...testMail(context, "delivered"), attachments: [receipt, note], idempotency_key: randomUUID() };
    const first = await context.admin.send("test", mail);
    const written = { ...note, content_type: "application/octet-stream", content_id: null };
    const again = await context.admin.send("test", { ...mail, attachments: [receipt, written] });
    check.equal("the id of a repeat with the defaults written out", again.body?.id, first.body?.id);
    for (const [what, attachments] of [
      ["other bytes", [receipt, { ...note, content: "Yg==" }]],
      ["another name", [receipt, { ...note, filename: "b.txt" }]],
      ["another type", [receipt, { ...note, content_type: "text/plain" }]],
      ["an id", [receipt, { ...note, content_id: "note" }]],
      ["another order", [note, receipt]],
      ["no files", []],
    ] as const) {
      const answer = await context.admin.send("test", { ...mail, attachments });
      check.error(`the same key with ${what}`, answer, 409, "CONFLICT");
    }
  },
  "10.5-12": async (check, context) => {
    const mail = { ...testMail(context, "delivered"), idempotency_key: randomUUID() };
    const first = await context.admin.send("test", mail);
    for (const attachments of [[], null]) {
      const again = await context.admin.send("test", { ...mail, attachments });
      check.equal(`the id with ${JSON.stringify(attachments)}`, again.body?.id, first.body?.id);
    }
    const { body } = await contentOf(context, first);
    check.holds("the content has no list", body !== undefined && !("attachments" in body), body);
  },
  "10.5-13": async (check, context) => {
    const answer = await sendWith(context, { attachments: [note] });
    const path = pathOf(answer, 0);
    check.error("attachment 1 of one", await context.admin.asUser("GET", pathOf(answer, 1)), 404, "NOT_FOUND");
    check.error("another account", await context.other().asUser("GET", path), 404, "NOT_FOUND");
    check.status("no credential", await context.request("GET", path), 401);
  },
  "10.5-14": async (check, context) => {
    const half = base64(Buffer.alloc(5 * mebibyte));
    const attachments = [
      { ...note, content: half },
      { ...note, content: half },
      { ...note, filename: "a/b.txt" },
    ];
    const answer = await sendWith(context, { attachments, subject: "", reply_to: "nobody" });
    check.error("10 MiB and a byte, with other problems", answer, 422, "VALIDATION_ERROR");
    const expected = ["attachments", "attachments[2].filename", "reply_to", "subject"];
    check.sameSet("the fields of the problems", fieldsOf(answer), expected);
  },
};

function sendWith(context: TestContext, fields: Record<string, unknown>): Promise<Answer> {
  return context.admin.send("test", { ...testMail(context, "delivered"), ...fields });
}

/** One attachment for each value. The answer has to name the field of each, and no other. */
async function checkEachRefused(check: Check, context: TestContext, field: string, values: string[]): Promise<void> {
  const answer = await sendWith(context, { attachments: values.map((value) => ({ ...note, [field]: value })) });
  check.error(`a send with ${field} ${JSON.stringify(values)}`, answer, 422, "VALIDATION_ERROR");
  const expected = values.map((_, number) => `attachments[${number}].${field}`);
  check.sameSet("the fields of the problems", new Set(fieldsOf(answer)), expected);
}

function fieldsOf({ body }: Answer): string[] {
  return body?.error?.details?.map(({ field }: { field: string }) => field) ?? [];
}

function contentOf({ admin }: TestContext, { body }: Answer): Promise<Answer> {
  return admin.asUser("GET", `/api/v1/send/${body?.id}/content`);
}

function pathOf({ body }: Answer, number: number): string {
  return `/api/v1/send/${body?.id}/content/attachments/${number}`;
}

interface File {
  filename: string;
  content: string;
  content_type?: string;
  content_id?: string;
}

function listed(answer: Answer, number: number, { filename, content, content_type, content_id }: File) {
  const bytes = Buffer.from(content, "base64");
  return {
    filename,
    content_type: content_type ?? "application/octet-stream",
    content_id: content_id ?? null,
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    url: pathOf(answer, number),
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64");
}
