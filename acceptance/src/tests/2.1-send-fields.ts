import type { Check } from "../check.ts";
import { statuses } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";

export const sendFieldTests: Tests = {
  "2.1-01": async (check, context) => {
    await checkRefused(check, context, "without from", { from: undefined });
    await checkRefused(check, context, "with a from that is not a string", { from: 7 });
    check.equal(
      "the sender of an accepted send",
      (await context.fixtures.delivered()).record.from_address,
      "acceptance@sandbox.test",
    );
    const unverified = await context.admin.send("test", {
      ...testMail(context, "delivered"),
      from: "a@not-verified.example.com",
    });
    check.error("a send from an unverified domain", unverified, 400, "DOMAIN_NOT_VERIFIED");
  },
  "2.1-02": async (check, context) => {
    await checkRefused(check, context, "without to", { to: undefined });
    await checkRefused(check, context, "with an empty to", { to: [] });
    await checkRefused(check, context, "with a to that is not a list", { to: context.recipient("delivered") });
  },
  "2.1-03": async (check, context) => {
    await checkRefused(check, context, "without subject", { subject: undefined });
    await checkRefused(check, context, "with a subject that is not a string", { subject: ["Acceptance"] });
  },
  "2.1-04": async (check, context) => {
    const { text: _, ...mail } = testMail(context, "delivered");
    check.status("a send with html only", await context.admin.send("test", { ...mail, html: "<p>Hello.</p>" }), 202);
  },
  "2.1-05": async (check, context) => {
    check.status("a send with text only", await context.admin.send("test", testMail(context, "delivered")), 202);
  },
  "2.1-06": async (check, context) => {
    const { payload, events } = await context.fixtures.delivered();
    await checkRefused(check, context, "with a cc that is not a list", { cc: "delivered@sandbox.test" });
    check.holds(
      "the cc recipient received the mail",
      events.some((event) => event.recipient === listOf(payload.cc)[0]),
      events,
    );
  },
  "2.1-07": async (check, context) => {
    const { payload, events } = await context.fixtures.delivered();
    await checkRefused(check, context, "with a bcc that is not a list", { bcc: "delivered@sandbox.test" });
    check.holds(
      "the bcc recipient received the mail",
      events.some((event) => event.recipient === listOf(payload.bcc)[0]),
      events,
    );
  },
  "2.1-08": async (check, context) => {
    check.status("a send with reply_to", (await context.fixtures.delivered()).answer, 202);
    await checkRefused(check, context, "with a reply_to that is not an address", { reply_to: "nobody" });
    await checkRefused(check, context, "with a reply_to that is not a string", { reply_to: ["a@sandbox.test"] });
  },
  "2.1-09": async (check, { fixtures }) => {
    check.uuid("the generated key", (await fixtures.delivered()).accepted.idempotency_key);
    const { first, mail } = await fixtures.repeatedSend();
    check.equal("the key from the request", first.body?.idempotency_key, mail.idempotency_key);
  },
  "2.1-10": async (check, { fixtures }) => check.uuid("id", (await fixtures.delivered()).accepted.id),
  "2.1-11": async (check, { fixtures }) =>
    check.oneOf("status", (await fixtures.delivered()).accepted.status, statuses),
  "2.1-12": async (check, { fixtures }) => {
    const { first, mail } = await fixtures.repeatedSend();
    check.equal("idempotency_key", first.body?.idempotency_key, mail.idempotency_key);
  },
  "2.1-13": async (check, { fixtures }) => {
    const { accepted, answer } = await fixtures.delivered();
    check.timestamp("queued_at", accepted.queued_at);
    const distance = Math.abs(Date.parse(accepted.queued_at) - Date.parse(answer.headers.get("date") ?? ""));
    check.holds("queued_at is within a minute of the Date header", distance < 60_000, accepted.queued_at);
  },
  "2.1-14": async (check, { fixtures }) => {
    const { first, second } = await fixtures.repeatedSend();
    check.equal("idempotent of the first request", first.body?.idempotent, false);
    check.equal("idempotent of the repeated request", second.body?.idempotent, true);
  },
  "2.1-15": async (check, { fixtures }) => {
    const { accepted, suppressed } = await fixtures.partlySuppressed();
    check.equal("suppressed_recipients", accepted.suppressed_recipients, [suppressed]);
    const plain = (await fixtures.delivered()).accepted;
    check.holds(
      "suppressed_recipients is absent without suppressed recipients",
      !Object.hasOwn(plain, "suppressed_recipients"),
      plain,
    );
  },
  "2.1-16": async (check, { fixtures }) => {
    const { accepted, record } = await fixtures.delivered();
    check.uuid("id", record.id);
    check.equal("id", record.id, accepted.id);
  },
  "2.1-17": async (check, { fixtures }) => {
    for (const status of (await fixtures.delivered()).seen.keys()) check.oneOf("status", status, statuses);
  },
  "2.1-18": async (check, { fixtures }) => {
    const { payload, record } = await fixtures.delivered();
    check.equal("from_address", record.from_address, payload.from);
  },
  "2.1-19": async (check, { fixtures }) => {
    const { payload, record } = await fixtures.delivered();
    const all = [...payload.to, ...listOf(payload.cc), ...listOf(payload.bcc)];
    check.sameSet("to_addresses", record.to_addresses, all);
  },
  "2.1-20": async (check, { fixtures }) => {
    const { payload, record } = await fixtures.delivered();
    check.equal("subject", record.subject, payload.subject);
  },
  "2.1-21": async (check, { fixtures }) => {
    const { accepted, record } = await fixtures.delivered();
    check.timestamp("queued_at", record.queued_at);
    check.equal("queued_at", record.queued_at, accepted.queued_at);
  },
  "2.1-22": async (check, { fixtures }) => {
    check.equal("sent_at of a queued send", (await fixtures.throttled()).seen.get("queued")?.sent_at, null);
    check.equal("sent_at of a suppressed send", (await fixtures.fullySuppressed()).record.sent_at, null);
    const { record } = await fixtures.delivered();
    check.timestamp("sent_at", record.sent_at);
    check.holds("sent_at is not before queued_at", Date.parse(record.sent_at) >= Date.parse(record.queued_at), record);
  },
  "2.1-23": async (check, { fixtures }) => {
    const queued = (await fixtures.throttled()).seen.get("queued");
    check.equal("provider_message_id of a queued send", queued?.provider_message_id, null);
    check.text("provider_message_id", (await fixtures.delivered()).record.provider_message_id);
  },
  "2.1-24": async (check, { fixtures }) => {
    check.equal("error_code without an error", (await fixtures.delivered()).record.error_code, null);
    check.matches("error_code", (await fixtures.rejected()).record.error_code, /^[A-Z][A-Z_]+$/);
  },
  "2.1-25": async (check, { fixtures }) => {
    check.equal("error_message without an error", (await fixtures.delivered()).record.error_message, null);
    check.text("error_message", (await fixtures.rejected()).record.error_message);
  },
  "2.1-26": async (check, { simulator, fixtures }) => {
    const view = simulator();
    const { payload, record } = await fixtures.liveSend();
    const mail = JSON.stringify(await view.mail(record.provider_message_id));
    for (const value of [payload.subject, payload.text, payload.html, payload.reply_to, payload.to[0]]) {
      check.holds(`the provider has ${String(value)}`, mail.includes(JSON.stringify(value).slice(1, -1)), mail);
    }
  },
  "2.1-27": async (check, context) => {
    const mail = testMail(context, "delivered");
    const [address = ""] = mail.to;
    const { body } = await context.admin.send("test", { ...mail, to: [address, address.toUpperCase()], cc: [address] });
    const record = await context.admin.status("test", body?.id);
    check.equal("to_addresses", record.body?.to_addresses, [address]);
  },
  "2.1-28": async (check, { simulator, fixtures }) => {
    const view = simulator();
    const { payload, record, events } = await fixtures.liveSend();
    const [bcc = ""] = listOf(payload.bcc);
    check.holds(
      "the bcc recipient received the mail",
      events.some((event) => event.recipient === bcc && event.event_type === "Delivery"),
      events,
    );
    const { headers } = await view.mail(record.provider_message_id);
    const headerText = JSON.stringify(headers);
    check.holds("the headers name the recipient in to", headerText.includes(payload.to[0] ?? ""), headers);
    check.holds("the headers do not name the bcc recipient", !headerText.includes(bcc), headers);
    const raw = await view.rawMail(record.provider_message_id);
    check.holds("the mail does not contain the bcc address", !raw.includes(bcc) && !/^bcc:/im.test(raw), raw);
  },
};

async function checkRefused(
  check: Check,
  context: TestContext,
  what: string,
  fields: Record<string, unknown>,
): Promise<void> {
  const answer = await context.admin.send("test", { ...testMail(context, "delivered"), ...fields });
  check.error(`a send ${what}`, answer, 422, "VALIDATION_ERROR");
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value : [];
}
