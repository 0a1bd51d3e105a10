import { setOperator } from "../../src/accounts/operator-store.ts";
import { hashPassword } from "../../src/accounts/password.ts";
import type { Database } from "../../src/db/database.ts";
import { anAccount, aUser } from "../../test/builders.ts";
import { turnTotpOn } from "../../test/operator-login.ts";
import { change } from "../../test/send-rows.ts";
import type { TestSender } from "../sends/sending-client.ts";
import type { Canaries } from "./canaries.ts";

const operatorReason = "reason of an operator";

export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON that the API returned
  body: any;
}

export type ApiRequest = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
) => Promise<ApiAnswer>;

/** Counts the statuses, so that a scenario that never reached the API is visible. */
export function apiRequests(url: string, statuses: Map<number, number>): ApiRequest {
  return async (method, path, headers, body) => {
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(payload !== undefined && { "content-type": "application/json" }), ...headers },
      ...(payload !== undefined && { body: payload }),
    });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
}

/** A mail with a canary in every field that a customer writes. */
export function canaryMail(canaries: Canaries, from: string, changes: object = {}) {
  return {
    from: `${canaries.make("name")} <${from}>`,
    to: [`${canaries.make("address")}@example.io`],
    cc: [`${canaries.make("address")}@example.io`],
    bcc: [`${canaries.make("address")}@example.io`],
    reply_to: `${canaries.make("name")} <${canaries.make("address")}@example.io>`,
    subject: `Hello ${canaries.make("subject")}`,
    html: `<p>${canaries.make("body")}</p>`,
    text: canaries.make("body"),
    idempotency_key: canaries.make("idempotency key"),
    ...changes,
  };
}

/** Failed and successful logins, and every use of their tokens. Returns an access token. */
export async function useLogins(
  request: ApiRequest,
  db: Database,
  canaries: Canaries,
  accountId: string,
): Promise<string> {
  const { id } = await aUser(db, { accountId });
  const [email, password] = [`${canaries.make("address")}@example.io`, canaries.make("password")];
  await db.query({
    name: "rename-user",
    text: "update users set email = $2, password_hash = $3 where id = $1",
    values: [id, email, await hashPassword(password)],
  });
  await request("POST", "/api/v1/auth/login", {}, { email, password: canaries.make("password") });
  await request(
    "POST",
    "/api/v1/auth/login",
    {},
    { email: canaries.make("address"), password: [canaries.make("password")] },
  );
  const first = addTokens(canaries, await request("POST", "/api/v1/auth/login", {}, { email, password }));
  const second = addTokens(
    canaries,
    await request("POST", "/api/v1/auth/refresh", {}, { refresh_token: first.refresh }),
  );
  await request("POST", "/api/v1/auth/refresh", {}, { refresh_token: `${second.refresh}${canaries.make("token")}` });
  await request("GET", "/api/v1/account", { authorization: `Bearer ${second.access}${canaries.make("token")}` });
  await request("GET", "/api/v1/account", { authorization: `Basic ${canaries.make("password")}` });
  return second.access;
}

/** Actions of an operator, each with a reason that may name a person. */
export async function useOperator(request: ApiRequest, db: Database, canaries: Canaries): Promise<void> {
  const accountId = await anAccount(db);
  const accessToken = await useLogins(request, db, canaries, accountId);
  const { sub } = JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString());
  await turnTotpOn(db, sub);
  await change(db, "update logins set totp_login_at = now() where user_id = $1", [sub]);
  const [user] = await change(db, "select email from users where id = $1", [sub]);
  await setOperator(db, String(user?.email), true);
  const path = `/api/v1/operator/accounts/${accountId}`;
  const token = { authorization: `Bearer ${accessToken}` };
  for (const action of ["hold", "release"]) {
    const { status } = await request("POST", `${path}/${action}`, token, { reason: canaries.make(operatorReason) });
    if (status !== 200) throw new Error(`${action} was answered ${status}`);
  }
  await request("PATCH", `${path}/limits`, token, { reason: canaries.make(operatorReason), per_second: 20 });
  await request("PATCH", `${path}/limits`, token, { reason: canaries.make(operatorReason), per_second: -1 });
  await request("POST", "/api/v1/operator/quarantine/1/read", token, { reason: canaries.make(operatorReason) });
  await request("POST", "/api/v1/operator/quarantine/replay", token, { reason: canaries.make(operatorReason) });
}

/** Adds the secret parts: the signature of the access token and the whole refresh token. */
function addTokens(canaries: Canaries, { status, body }: ApiAnswer): { access: string; refresh: string } {
  if (status !== 200) throw new Error(`a login was answered ${status}`);
  canaries.add("token", body.access_token.split(".").at(-1));
  canaries.add("token", body.refresh_token);
  return { access: body.access_token, refresh: body.refresh_token };
}

export async function useKeys(request: ApiRequest, canaries: Canaries, accessToken: string): Promise<string> {
  const token = { authorization: `Bearer ${accessToken}` };
  const made = await request("POST", "/api/v1/api-keys", token, { name: canaries.make("name"), type: "live" });
  const key: string = made.body.key;
  // Lists show the beginning of a key; the rest must not appear anywhere.
  canaries.add("API key", key.slice(-30));
  await request("GET", "/api/v1/account", { "x-api-key": `${key}x` });
  await request("GET", "/api/v1/account", { authorization: `Bearer ${key}` });
  await request("DELETE", `/api/v1/api-keys/${key}`, token);
  await request("POST", "/api/v1/api-keys", token, {
    name: [canaries.make("name")],
    [canaries.make("path or field")]: 1,
  });
  await request("DELETE", `/api/v1/api-keys/${made.body.id}`, token);
  return key;
}

/** Sends that are accepted, repeated, in conflict, refused for each reason, or not valid JSON. */
export async function useSending(
  request: ApiRequest,
  canaries: Canaries,
  sender: TestSender,
  accessToken: string,
): Promise<string[]> {
  const key = { "x-api-key": sender.key };
  canaries.add("API key", sender.key.slice(-30));
  const send = (body: unknown) => request("POST", "/api/v1/send", key, body);
  const mail = canaryMail(canaries, sender.from);
  const accepted = [await send(mail), await send(mail), await send({ ...mail, subject: canaries.make("subject") })];
  await send(canaryMail(canaries, `a@${canaries.make("address")}.io`));
  await send(canaryMail(canaries, sender.from, { to: [canaries.make("address")] }));
  await send(canaryMail(canaries, sender.from, { [canaries.make("path or field")]: canaries.make("body") }));
  await send(canaryMail(canaries, sender.from, { subject: `${canaries.make("subject")}\r\nBcc: x` }));
  await send(canaryMail(canaries, sender.from, { html: 7, text: [canaries.make("body")] }));
  await send(`{"subject":"${canaries.make("subject")}"`);
  await send(`{"text":"${canaries.make("body")}","text":"${canaries.make("body")}"}`);
  await request("POST", "/api/v1/send/validate", key, canaryMail(canaries, sender.from));
  const defaults = canaryMail(canaries, sender.from, { idempotency_key: undefined });
  const mails = [{}, { subject: canaries.make("subject"), to: [canaries.make("address")] }, canaries.make("body")];
  await request("POST", "/api/v1/send/batch", key, { defaults, mails });
  await request("POST", "/api/v1/send", { "x-api-key": canaries.make("API key") }, mail);
  await request("POST", "/api/v1/send", { ...key, "idempotency-key": canaries.make("idempotency key") }, mail);
  await request("GET", `/api/v1/${canaries.make("path or field")}?to=${canaries.make("address")}`, key);
  await request("GET", `/api/v1/events?recipient=${canaries.make("address")}@example.io`, key);
  await request("GET", `/api/v1/sends?recipient=${canaries.make("address")}&${canaries.make("path or field")}=1`, key);
  const token = { authorization: `Bearer ${accessToken}` };
  await request("DELETE", `/api/v1/suppression/${canaries.make("address")}@example.io`, token);
  await request("POST", "/api/v1/domains", token, { domain_name: `${canaries.make("address")}.io` });
  const [first] = accepted;
  if (first?.status !== 202) throw new Error(`a send was answered ${first?.status}`);
  for (const path of ["status", "timeline"]) await request("GET", `/api/v1/send/${first.body.id}/${path}`, key);
  return [first.body.id];
}
