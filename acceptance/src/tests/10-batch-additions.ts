import { randomUUID } from "node:crypto";
import type { Answer } from "../client.ts";
import { acceptanceFields } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";
import { sender, testMail } from "../test-mail.ts";

/** More than the published limits admit in a second and in ten seconds. */
const manyMails = 25;

export const batchAdditionTests: Tests = {
  "10.3-01": async (check, context) => {
    const mails = ["first", "second"].map((subject) => ({ ...testMail(context, "delivered"), subject }));
    const answer = await batch(context, { mails });
    check.status("the batch", answer, 202);
    check.fields("the answer", answer.body, ["accepted", "refused", "verdicts"]);
    check.equal("accepted and refused", [answer.body.accepted, answer.body.refused], [2, 0]);
    for (const [index, { subject }] of mails.entries()) {
      const verdict = answer.body.verdicts[index];
      check.equal("the status of a verdict", verdict?.status, 202);
      check.fields("a verdict", verdict?.send, acceptanceFields);
      const { body } = await context.admin.status("test", String(verdict.send.id));
      check.equal("the subject of the send", body?.subject, subject);
    }
  },
  "10.3-02": async (check, context) => {
    const mail = testMail(context, "delivered");
    const mails = [mail, { ...mail, from: "a@unverified-sender.test" }, { ...mail, to: ["no address"] }];
    const answer = await batch(context, { mails });
    check.status("the batch", answer, 202);
    check.equal("accepted and refused", [answer.body?.accepted, answer.body?.refused], [1, 2]);
    for (const [index, body] of mails.entries()) {
      if (index === 0) continue;
      const single = await context.admin.send("test", body);
      const { status, error } = answer.body?.verdicts?.[index] ?? {};
      check.equal("status and code", [status, error?.code], [single.status, single.body?.error?.code]);
      check.equal("the problems", codesOf(error), codesOf(single.body?.error));
    }
  },
  "10.3-03": async (check, context) => {
    const { to, ...defaults } = testMail(context, "delivered");
    const own = { to, subject: "Own subject" };
    const answer = await batch(context, {
      defaults: { ...defaults, reply_to: "nobody" },
      mails: [own, { ...own, reply_to: null, cc: ["x"] }, { ...own, reply_to: sender }],
    });
    check.equal("the fields with problems", fieldsOf(answer), [["defaults.reply_to"], ["mails[1].cc[0]"], []]);
    const { body } = await context.admin.status("test", String(answer.body?.verdicts?.[2]?.send?.id));
    check.equal("the subject", body?.subject, "Own subject");
    check.equal("the sender", body?.from_address, defaults.from);
  },
  "10.3-04": async (check, context) => {
    const answer = await batch(context, { mails: [{ ...testMail(context, "delivered"), subject: "" }, {}] });
    check.error("the batch", answer, 422, "BATCH_REFUSED");
    check.equal("accepted and refused", [answer.body.accepted, answer.body.refused], [0, 2]);
    const codes = answer.body.verdicts?.map(({ error }: Refused) => error.code);
    check.equal("the codes of the verdicts", codes, ["VALIDATION_ERROR", "VALIDATION_ERROR"]);
  },
  "10.3-05": async (check, context) => {
    const mails = Array.from({ length: manyMails }, () => testMail(context, "delivered"));
    const answer = await batch(context, { mails });
    check.status(`a batch of ${manyMails} mails`, answer, 202);
    check.equal("accepted", answer.body?.accepted, manyMails);
  },
  "10.3-06": async (check, context) => {
    const own = randomUUID();
    const key = randomUUID();
    const mails = [testMail(context, "delivered"), { ...testMail(context, "delivered"), idempotency_key: own }];
    const [first, again] = [await batch(context, { mails }, key), await batch(context, { mails }, key)];
    check.equal("the keys", sendsOf(first, "idempotency_key"), [`${key}/0`, own]);
    check.equal("the ids of the repeat", sendsOf(again, "id"), sendsOf(first, "id"));
    check.equal("idempotent", sendsOf(again, "idempotent"), [true, true]);
  },
  "10.3-07": async (check, context) => {
    const mail = { ...testMail(context, "delivered"), idempotency_key: randomUUID() };
    const answer = await batch(context, { mails: [mail, mail, { ...mail, subject: "Another subject" }] });
    const statuses = answer.body?.verdicts?.map(({ status }: { status: number }) => status);
    check.equal("the statuses of the verdicts", statuses, [202, 202, 409]);
    const [first, second] = sendsOf(answer, "id");
    check.equal("the id of the repeat", second, first);
    check.equal("idempotent", sendsOf(answer, "idempotent").slice(0, 2), [false, true]);
  },
  "10.3-08": async (check, context) => {
    const mail = testMail(context, "delivered");
    for (const mails of [[], Array(101).fill(mail), mail]) {
      check.error("a batch", await batch(context, { mails }), 422, "VALIDATION_ERROR");
    }
  },
  "10.3-09": async (check, context) => {
    // Without a subject, so that a deployment stores none of them.
    const { subject: _, ...mail } = testMail(context, "delivered");
    const html = "x".repeat(900_000);
    const sized = (count: number) => batch(context, { defaults: { html }, mails: Array(count).fill(mail) });
    check.error("a batch of 9 mails with 0.9 MB each", await sized(9), 422, "BATCH_REFUSED");
    check.error("a batch of 10 mails with 0.9 MB each", await sized(10), 413, "PAYLOAD_TOO_LARGE");
    const written = await batch(context, { mails: Array(10).fill({ ...mail, html }) });
    check.error("the same batch without defaults", written, 413, "PAYLOAD_TOO_LARGE");
  },
};

interface Refused {
  error: { code: string; details?: { field: string; code: string }[] };
}

function batch({ admin }: TestContext, body: object, key?: string): Promise<Answer> {
  return admin.sendBatch("test", body, key);
}

function sendsOf({ body }: Answer, field: string): unknown[] {
  return (body?.verdicts ?? []).map(({ send }: { send?: Record<string, unknown> }) => send?.[field]);
}

function fieldsOf({ body }: Answer): string[][] {
  return (body?.verdicts ?? []).map(({ error }: Partial<Refused>) => error?.details?.map(({ field }) => field) ?? []);
}

function codesOf(error: Refused["error"] | undefined): string[] {
  return (error?.details ?? []).map(({ code }) => code);
}
