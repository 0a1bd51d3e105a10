/** A program for each operation, as the reference page shows it. A test runs every one of them against the API. */

const withKey = `import { env } from "node:process";
import { Postern } from "@postern/sdk";

const postern = new Postern({
  baseUrl: env.POSTERN_URL ?? "http://localhost:3000",
  apiKey: env.POSTERN_API_KEY,
});
`;

const withLogin = `import { env } from "node:process";
import { Postern } from "@postern/sdk";

const postern = new Postern({
  baseUrl: env.POSTERN_URL ?? "http://localhost:3000",
  login: { email: env.POSTERN_EMAIL ?? "", password: env.POSTERN_PASSWORD ?? "" },
});
`;

const mail = `{
  from: "Acme <hello@sandbox.test>",
  to: ["delivered@sandbox.test"],
  subject: "Your receipt",
  text: "Thank you for your order.",
}`;

export const codeSamples: Record<string, string | undefined> = {
  send: `${withKey}
const { data, error } = await postern.send(${mail});
if (error) console.error(error.code, error.message);
else console.log(data.id, data.status);
`,
  sendBatch: `${withKey}
const { verdicts } = await postern.sends
  .batch({
    defaults: { from: "Acme <hello@sandbox.test>", subject: "Your receipt" },
    mails: [
      { to: ["delivered@sandbox.test"], text: "Thank you for order 1001." },
      { to: ["bounced@sandbox.test"], text: "Thank you for order 1002." },
    ],
  })
  .orThrow();
for (const verdict of verdicts) {
  if (verdict.status === 202) console.log(verdict.send.id);
  else console.error(verdict.error.code, verdict.error.message);
}
`,
  validateSend: `${withKey}
const result = await postern.sends.validate(${mail}).orThrow();
console.log(result.valid, result.would_answer.status);
`,
  cancelSend: `${withKey}
const { id } = await postern.send(${mail}).orThrow();
const { data, error } = await postern.sends.cancel(id);
if (error) console.error(error.code, error.message); // 409: a worker has submitted it
else console.log(data.status, data.error_code);
`,
  cancelSendByKey: `${withKey}
const mail = ${mail};
await postern.send({ ...mail, idempotency_key: "reminder-1001" }).orThrow();
const { data, error } = await postern.sends.cancelByKey("reminder-1001");
if (error) console.error(error.code, error.message);
else console.log(data.id, data.error_code);
`,
  getSendStatus: `${withKey}
const { data: page } = await postern.sends.list({ limit: 1 }).orThrow();
for (const { id } of page.sends) {
  const send = await postern.sends.status(id).orThrow();
  console.log(send.status, send.error_code);
}
`,
  getSendTimeline: `${withKey}
const { data: page } = await postern.sends.list({ limit: 1 }).orThrow();
for (const { id } of page.sends) {
  const { entries } = await postern.sends.timeline(id).orThrow();
  for (const { at, type } of entries) console.log(at, type);
}
`,
  getSendContent: `${withKey}
const { data: page } = await postern.sends.list({ limit: 1 }).orThrow();
for (const { id } of page.sends) {
  const { subject, text } = await postern.sends.content(id).orThrow();
  console.log(subject, text);
}
`,
  listSends: `${withKey}
for await (const send of postern.sends.each({ recipient: "delivered@sandbox.test" })) {
  console.log(send.id, send.status);
}
`,
  getUsage: `${withKey}
const { data } = await postern.usage({ by: "day", group: "domain" }).orThrow();
for (const { start, domain, delivered } of data.usage) console.log(start, domain, delivered);
`,
  listRequests: `${withKey}
for await (const { at, route, status, error_code, request_id } of postern.requests.each({ status: "4xx" })) {
  console.log(at, route, status, error_code, request_id);
}
`,
  getAccount: `${withKey}
const { name, mode } = await postern.account().orThrow();
console.log(name, mode);
`,
  logIn: `${withLogin}
// The client logs in when it first needs a token, and refreshes the token itself.
const { name } = await postern.account().orThrow();
console.log(name);
`,
  refreshLogin: `${withLogin}
// Only for programs that manage tokens themselves: a client with \`login\` refreshes its token.
const tokens = await postern.auth
  .logIn({ email: env.POSTERN_EMAIL ?? "", password: env.POSTERN_PASSWORD ?? "" })
  .orThrow();
const renewed = await postern.auth.refresh({ refresh_token: tokens.refresh_token }).orThrow();
console.log(renewed.expires_in);
`,
  logOut: `${withLogin}
await postern.account().orThrow();
await postern.auth.logOut().orThrow();
`,
  createApiKey: `${withLogin}
const { id, key } = await postern.apiKeys.create({ name: "billing server", type: "test" }).orThrow();
console.log(id, key); // no other response contains the key
`,
  listApiKeys: `${withLogin}
for (const { id, name, key_prefix } of await postern.apiKeys.list().orThrow()) console.log(id, name, key_prefix);
`,
  rollApiKey: `${withLogin}
const { id } = await postern.apiKeys.create({ name: "shop server", type: "test", scopes: ["send", "read"] }).orThrow();
const { key, previous_secrets_end_at } = await postern.apiKeys.roll(id, { overlap_seconds: 3600 }).orThrow();
console.log(key, previous_secrets_end_at); // deploy the new secret before the old one ends
`,
  revokeApiKey: `${withLogin}
const { id } = await postern.apiKeys.create({ name: "old server", type: "test" }).orThrow();
await postern.apiKeys.revoke(id).orThrow();
`,
  registerDomain: `${withLogin}
const { dns_records } = await postern.domains.register({ domain_name: "mail.acme.io" }).orThrow();
for (const { type, name, value } of dns_records) console.log(type, name, value);
`,
  listDomains: `${withLogin}
for (const domain of await postern.domains.list().orThrow()) console.log(domain.domain_name, domain.verification_status);
`,
  getDomain: `${withLogin}
for (const { domain_id } of await postern.domains.list().orThrow()) {
  const { dns_records } = await postern.domains.get(domain_id).orThrow();
  for (const { name, status, hint } of dns_records) console.log(name, status, hint);
}
`,
  verifyDomain: `${withLogin}
for (const { domain_id } of await postern.domains.list().orThrow()) await postern.domains.verify(domain_id).orThrow();
`,
  getDomainDns: `${withLogin}
for (const { domain_id } of await postern.domains.list().orThrow()) {
  const { records } = await postern.domains.dns(domain_id).orThrow();
  for (const { name, status, advice } of records) console.log(name, status, advice);
}
`,
  setMailFrom: `${withLogin}
for (const { domain_id, verification_status } of await postern.domains.list().orThrow()) {
  if (verification_status !== "Success") continue;
  const { mail_from } = await postern.domains.setMailFrom(domain_id, { subdomain: "bounce" }).orThrow();
  for (const { type, name, value } of mail_from?.records ?? []) console.log(type, name, value);
}
`,
  removeDomain: `${withLogin}
for (const { domain_id, domain_name } of await postern.domains.list().orThrow()) {
  if (domain_name === "mail.acme.io") await postern.domains.remove(domain_id).orThrow();
}
`,
  listSuppressions: `${withLogin}
for await (const { email, reason } of postern.suppressions.each()) console.log(email, reason);
`,
  addSuppression: `${withLogin}
const { data } = await postern.suppressions.add({ email: "left@example.com", note: "Asked by phone" }).orThrow();
console.log(data.email, data.reason, data.suppressed_at);
`,
  importSuppressions: `${withLogin}
const entries = [{ email: "left@example.com", reason: "complaint" }, { email: "joe@example.com" }];
const { data } = await postern.suppressions.import({ entries, dry_run: false }).orThrow();
console.log(data.new, data.known, data.invalid);
`,
  getSuppression: `${withLogin}
const { data, error } = await postern.suppressions.get("jane@example.com");
if (error?.code === "NOT_FOUND") console.log("The address is not suppressed.");
else if (error) throw error;
else for (const { removed_at, provider } of data.data.removals) console.log("removed", removed_at, "at SES:", provider.status);
`,
  removeSuppression: `${withLogin}
const { error } = await postern.suppressions.remove("jane@example.com");
if (error?.code === "NOT_FOUND") console.log("The address is not suppressed.");
else console.log("Later sends to the address are no longer filtered.");
`,
  listEvents: `${withLogin}
for await (const event of postern.events.each({ type: "Bounce" })) {
  console.log(event.event_timestamp, event.recipient, event.bounce_type);
}
`,
  createWebhook: `${withLogin}
const { webhook_id, secret } = await postern.webhooks
  .create({ url: "https://shop.example.com/hooks/postern", types: ["send.delivered", "send.bounced"] })
  .orThrow();
console.log(webhook_id, secret); // no other response contains the secret
`,
  listWebhooks: `${withLogin}
for (const { url, status, success_rate } of await postern.webhooks.list().orThrow()) console.log(url, status, success_rate);
`,
  getWebhook: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  const { status, failing_since, p95_ms } = await postern.webhooks.get(webhook_id).orThrow();
  console.log(status, failing_since, p95_ms);
}
`,
  changeWebhook: `${withLogin}
for (const { webhook_id, status } of await postern.webhooks.list().orThrow()) {
  if (status === "disabled") await postern.webhooks.change(webhook_id, { enabled: true }).orThrow();
}
`,
  deleteWebhook: `${withLogin}
for (const { webhook_id, url } of await postern.webhooks.list().orThrow()) {
  if (url === "https://shop.example.com/hooks/postern") await postern.webhooks.delete(webhook_id).orThrow();
}
`,
  rotateWebhookSecret: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  const { secret, previous_secrets_end_at } = await postern.webhooks.rotate(webhook_id, { overlap_seconds: 3600 }).orThrow();
  console.log(secret, previous_secrets_end_at); // deploy the new secret before the old one ends
}
`,
  testWebhook: `${withLogin}
for (const { webhook_id, status } of await postern.webhooks.list().orThrow()) {
  if (status === "disabled") continue;
  const { delivery_id } = await postern.webhooks.test(webhook_id, { type: "send.bounced" }).orThrow();
  console.log(delivery_id);
}
`,
  listWebhookDeliveries: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  for await (const { type, state, last_attempt } of postern.webhooks.eachDelivery(webhook_id, { state: "failed" })) {
    console.log(type, state, last_attempt?.failure);
  }
}
`,
  getWebhookDelivery: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  const { data } = await postern.webhooks.deliveries(webhook_id, { limit: 1 }).orThrow();
  for (const { delivery_id } of data.deliveries) {
    const { body, attempts } = await postern.webhooks.delivery(webhook_id, delivery_id).orThrow();
    for (const { attempted_at, status, failure } of attempts) console.log(body, attempted_at, status, failure);
  }
}
`,
  replayWebhookDelivery: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  for await (const { delivery_id } of postern.webhooks.eachDelivery(webhook_id, { state: "failed" })) {
    await postern.webhooks.replay(webhook_id, delivery_id).orThrow();
  }
}
`,
  getWebhookDeliveryCurl: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  const { data } = await postern.webhooks.deliveries(webhook_id, { state: "failed", limit: 1 }).orThrow();
  for (const { delivery_id } of data.deliveries) {
    const { command } = await postern.webhooks.curl(webhook_id, delivery_id).orThrow();
    console.log(command);
  }
}
`,
  replayWebhook: `${withLogin}
for (const { webhook_id, status } of await postern.webhooks.list().orThrow()) {
  if (status === "disabled") continue;
  const from = new Date(Date.now() - 86_400_000).toISOString();
  const { replay_id } = await postern.webhooks.replayRange(webhook_id, { from, to: new Date().toISOString() }).orThrow();
  console.log(replay_id);
}
`,
  listWebhookReplays: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  for (const { from, to, state, progress } of await postern.webhooks.replays(webhook_id).orThrow()) {
    console.log(from, to, state, progress);
  }
}
`,
  getWebhookReplay: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  const [newest] = await postern.webhooks.replays(webhook_id).orThrow();
  if (newest === undefined) continue;
  const { state, progress, deliveries } = await postern.webhooks.replayOf(webhook_id, newest.replay_id).orThrow();
  console.log(state, progress, deliveries);
}
`,
  cancelWebhookReplay: `${withLogin}
for (const { webhook_id } of await postern.webhooks.list().orThrow()) {
  for (const { replay_id, state } of await postern.webhooks.replays(webhook_id).orThrow()) {
    if (state === "running") await postern.webhooks.cancelReplay(webhook_id, replay_id).orThrow();
  }
}
`,
  createWebhookListener: `${withLogin}
const { webhook_id, listens_until } = await postern.webhooks.createListener({ types: ["send.bounced"] }).orThrow();
console.log(webhook_id, listens_until); // take from it once a second
await postern.webhooks.delete(webhook_id).orThrow();
`,
  takeNotifications: `${withLogin}
const { webhook_id } = await postern.webhooks.createListener({ mode: "test" }).orThrow();
const { notifications } = await postern.webhooks.takeNotifications(webhook_id).orThrow();
for (const { notification_id, type, body } of notifications) console.log(notification_id, type, body);
await postern.webhooks.delete(webhook_id).orThrow();
`,
};
