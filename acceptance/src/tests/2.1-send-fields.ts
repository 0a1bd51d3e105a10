import type { Check } from "../check.ts";
import { statuses } from "../fields.ts";
import { aMail } from "../scenes.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

export const sendFieldTests: Tests = {
  "2.1-01": async (check, world) => {
    await isRefused(check, world, "without from", { from: undefined });
    await isRefused(check, world, "with a from that is no string", { from: 7 });
    check.equal(
      "the sender of an accepted one",
      (await world.scenes.delivered()).record.from_address,
      "acceptance@sandbox.test",
    );
    const unverified = await world.admin.send("test", {
      ...aMail(world, "delivered"),
      from: "a@not-verified.example.com",
    });
    check.error("a send from a domain that is not verified", unverified, 400, "DOMAIN_NOT_VERIFIED");
  },
  "2.1-02": async (check, world) => {
    await isRefused(check, world, "without to", { to: undefined });
    await isRefused(check, world, "with an empty to", { to: [] });
    await isRefused(check, world, "with a to that is no list", { to: world.recipient("delivered") });
  },
  "2.1-03": async (check, world) => {
    await isRefused(check, world, "without subject", { subject: undefined });
    await isRefused(check, world, "with a subject that is no string", { subject: ["Acceptance"] });
  },
  "2.1-04": async (check, world) => {
    const { text: _, ...mail } = aMail(world, "delivered");
    check.status("a send with html only", await world.admin.send("test", { ...mail, html: "<p>Hello.</p>" }), 202);
  },
  "2.1-05": async (check, world) => {
    check.status("a send with text only", await world.admin.send("test", aMail(world, "delivered")), 202);
  },
  "2.1-06": async (check, world) => {
    const { payload, events } = await world.scenes.delivered();
    await isRefused(check, world, "with a cc that is no list", { cc: "delivered@sandbox.test" });
    check.holds(
      "the cc recipient got it",
      events.some((event) => event.recipient === listOf(payload.cc)[0]),
      events,
    );
  },
  "2.1-07": async (check, world) => {
    const { payload, events } = await world.scenes.delivered();
    await isRefused(check, world, "with a bcc that is no list", { bcc: "delivered@sandbox.test" });
    check.holds(
      "the bcc recipient got it",
      events.some((event) => event.recipient === listOf(payload.bcc)[0]),
      events,
    );
  },
  "2.1-08": async (check, world) => {
    check.status("a send with reply_to", (await world.scenes.delivered()).answer, 202);
    await isRefused(check, world, "with a reply_to that is no address", { reply_to: "nobody" });
    await isRefused(check, world, "with a reply_to that is no string", { reply_to: ["a@sandbox.test"] });
  },
  "2.1-09": async (check, { scenes }) => {
    check.uuid("the generated key", (await scenes.delivered()).accepted.idempotency_key);
    const { first, mail } = await scenes.repeated();
    check.equal("the given key", first.body?.idempotency_key, mail.idempotency_key);
  },
  "2.1-10": async (check, { scenes }) => check.uuid("id", (await scenes.delivered()).accepted.id),
  "2.1-11": async (check, { scenes }) => check.oneOf("status", (await scenes.delivered()).accepted.status, statuses),
  "2.1-12": async (check, { scenes }) => {
    const { first, mail } = await scenes.repeated();
    check.equal("idempotency_key", first.body?.idempotency_key, mail.idempotency_key);
  },
  "2.1-13": async (check, { scenes }) => {
    const { accepted, answer } = await scenes.delivered();
    check.timestamp("queued_at", accepted.queued_at);
    const distance = Math.abs(Date.parse(accepted.queued_at) - Date.parse(answer.headers.get("date") ?? ""));
    check.holds("it is within a minute of the Date of the answer", distance < 60_000, accepted.queued_at);
  },
  "2.1-14": async (check, { scenes }) => {
    const { first, second } = await scenes.repeated();
    check.equal("idempotent of the first", first.body?.idempotent, false);
    check.equal("idempotent of the repeat", second.body?.idempotent, true);
  },
  "2.1-15": async (check, { scenes }) => {
    const { accepted, suppressed } = await scenes.partlySuppressed();
    check.equal("suppressed_recipients", accepted.suppressed_recipients, [suppressed]);
    const plain = (await scenes.delivered()).accepted;
    check.holds("it is absent when nobody was filtered", !Object.hasOwn(plain, "suppressed_recipients"), plain);
  },
  "2.1-16": async (check, { scenes }) => {
    const { accepted, record } = await scenes.delivered();
    check.uuid("id", record.id);
    check.equal("id", record.id, accepted.id);
  },
  "2.1-17": async (check, { scenes }) => {
    for (const status of (await scenes.delivered()).seen.keys()) check.oneOf("status", status, statuses);
  },
  "2.1-18": async (check, { scenes }) => {
    const { payload, record } = await scenes.delivered();
    check.equal("from_address", record.from_address, payload.from);
  },
  "2.1-19": async (check, { scenes }) => {
    const { payload, record } = await scenes.delivered();
    const all = [...payload.to, ...listOf(payload.cc), ...listOf(payload.bcc)];
    check.sameSet("to_addresses", record.to_addresses, all);
  },
  "2.1-20": async (check, { scenes }) => {
    const { payload, record } = await scenes.delivered();
    check.equal("subject", record.subject, payload.subject);
  },
  "2.1-21": async (check, { scenes }) => {
    const { accepted, record } = await scenes.delivered();
    check.timestamp("queued_at", record.queued_at);
    check.equal("queued_at", record.queued_at, accepted.queued_at);
  },
  "2.1-22": async (check, { scenes }) => {
    check.equal("sent_at of a queued send", (await scenes.throttled()).seen.get("queued")?.sent_at, null);
    check.equal("sent_at of one that never went out", (await scenes.fullySuppressed()).record.sent_at, null);
    const { record } = await scenes.delivered();
    check.timestamp("sent_at", record.sent_at);
    check.holds("it is not before queued_at", Date.parse(record.sent_at) >= Date.parse(record.queued_at), record);
  },
  "2.1-23": async (check, { scenes }) => {
    const queued = (await scenes.throttled()).seen.get("queued");
    check.equal("provider_message_id of a queued send", queued?.provider_message_id, null);
    check.text("provider_message_id", (await scenes.delivered()).record.provider_message_id);
  },
  "2.1-24": async (check, { scenes }) => {
    check.equal("error_code without an error", (await scenes.delivered()).record.error_code, null);
    check.matches("error_code", (await scenes.rejected()).record.error_code, /^[A-Z][A-Z_]+$/);
  },
  "2.1-25": async (check, { scenes }) => {
    check.equal("error_message without an error", (await scenes.delivered()).record.error_message, null);
    check.text("error_message", (await scenes.rejected()).record.error_message);
  },
  "2.1-26": async (check, { simulator, scenes }) => {
    const view = simulator();
    const { payload, record } = await scenes.live();
    const mail = JSON.stringify(await view.mail(record.provider_message_id));
    for (const given of [payload.subject, payload.text, payload.html, payload.reply_to, payload.to[0]]) {
      check.holds(`the provider has ${String(given)}`, mail.includes(JSON.stringify(given).slice(1, -1)), mail);
    }
  },
  "2.1-27": async (check, world) => {
    const mail = aMail(world, "delivered");
    const [address = ""] = mail.to;
    const { body } = await world.admin.send("test", { ...mail, to: [address, address.toUpperCase()], cc: [address] });
    const record = await world.admin.status("test", body?.id);
    check.equal("to_addresses", record.body?.to_addresses, [address]);
  },
};

async function isRefused(check: Check, world: World, what: string, fields: Record<string, unknown>): Promise<void> {
  const answer = await world.admin.send("test", { ...aMail(world, "delivered"), ...fields });
  check.error(`a send ${what}`, answer, 422, "VALIDATION_ERROR");
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value : [];
}
