import { hashPassword } from "../src/accounts/password.ts";
import type { Database } from "../src/db/database.ts";
import { aUser } from "../test/builders.ts";
import type { Canaries } from "./canaries.ts";
import type { TestSender } from "./sending-client.ts";

export interface Asked {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answered
  body: any;
}

export type Ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) => Promise<Asked>;

/** Counts what came of it, so that a scene which never reached the API shows. */
export function askAt(url: string, statuses: Map<number, number>): Ask {
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

/** A mail with a canary wherever a customer writes something. */
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

/** Log-in that fails and succeeds, and everything that is done with the tokens afterwards. Returns an access token. */
export async function useLogins(ask: Ask, db: Database, canaries: Canaries, accountId: string): Promise<string> {
  const { id } = await aUser(db, { accountId });
  const [email, password] = [`${canaries.make("address")}@example.io`, canaries.make("password")];
  await db.query({
    name: "rename-user",
    text: "update users set email = $2, password_hash = $3 where id = $1",
    values: [id, email, await hashPassword(password)],
  });
  await ask("POST", "/api/v1/auth/login", {}, { email, password: canaries.make("password") });
  await ask(
    "POST",
    "/api/v1/auth/login",
    {},
    { email: canaries.make("address"), password: [canaries.make("password")] },
  );
  const first = keepTokens(canaries, await ask("POST", "/api/v1/auth/login", {}, { email, password }));
  const second = keepTokens(canaries, await ask("POST", "/api/v1/auth/refresh", {}, { refresh_token: first.refresh }));
  await ask("POST", "/api/v1/auth/refresh", {}, { refresh_token: `${second.refresh}${canaries.make("token")}` });
  await ask("GET", "/api/v1/account", { authorization: `Bearer ${second.access}${canaries.make("token")}` });
  await ask("GET", "/api/v1/account", { authorization: `Basic ${canaries.make("password")}` });
  return second.access;
}

/** The parts that open something: the signature of an access token, a whole refresh token. */
function keepTokens(canaries: Canaries, { status, body }: Asked): { access: string; refresh: string } {
  if (status !== 200) throw new Error(`a log-in was answered ${status}`);
  canaries.keep("token", body.access_token.split(".").at(-1));
  canaries.keep("token", body.refresh_token);
  return { access: body.access_token, refresh: body.refresh_token };
}

export async function useKeys(ask: Ask, canaries: Canaries, accessToken: string): Promise<string> {
  const token = { authorization: `Bearer ${accessToken}` };
  const made = await ask("POST", "/api/v1/api-keys", token, { name: canaries.make("name"), type: "live" });
  const key: string = made.body.key;
  // The beginning is shown in lists; what comes behind it must be nowhere.
  canaries.keep("API key", key.slice(-30));
  await ask("GET", "/api/v1/account", { "x-api-key": `${key}x` });
  await ask("GET", "/api/v1/account", { authorization: `Bearer ${key}` });
  await ask("DELETE", `/api/v1/api-keys/${key}`, token);
  await ask("POST", "/api/v1/api-keys", token, { name: [canaries.make("name")], [canaries.make("path or field")]: 1 });
  await ask("DELETE", `/api/v1/api-keys/${made.body.id}`, token);
  return key;
}

/** Accepted, repeated, in conflict, refused for every reason there is, and not even JSON. */
export async function useSending(
  ask: Ask,
  canaries: Canaries,
  sender: TestSender,
  accessToken: string,
): Promise<string[]> {
  const key = { "x-api-key": sender.key };
  canaries.keep("API key", sender.key.slice(-30));
  const send = (body: unknown) => ask("POST", "/api/v1/send", key, body);
  const mail = canaryMail(canaries, sender.from);
  const accepted = [await send(mail), await send(mail), await send({ ...mail, subject: canaries.make("subject") })];
  await send(canaryMail(canaries, `a@${canaries.make("address")}.io`));
  await send(canaryMail(canaries, sender.from, { to: [canaries.make("address")] }));
  await send(canaryMail(canaries, sender.from, { [canaries.make("path or field")]: canaries.make("body") }));
  await send(canaryMail(canaries, sender.from, { subject: `${canaries.make("subject")}\r\nBcc: x` }));
  await send(canaryMail(canaries, sender.from, { html: 7, text: [canaries.make("body")] }));
  await send(`{"subject":"${canaries.make("subject")}"`);
  await send(`{"text":"${canaries.make("body")}","text":"${canaries.make("body")}"}`);
  await ask("POST", "/api/v1/send/validate", key, canaryMail(canaries, sender.from));
  await ask("POST", "/api/v1/send", { "x-api-key": canaries.make("API key") }, mail);
  await ask("POST", "/api/v1/send", { ...key, "idempotency-key": canaries.make("idempotency key") }, mail);
  await ask("GET", `/api/v1/${canaries.make("path or field")}?to=${canaries.make("address")}`, key);
  await ask("GET", `/api/v1/events?recipient=${canaries.make("address")}@example.io`, key);
  await ask("GET", `/api/v1/sends?recipient=${canaries.make("address")}&${canaries.make("path or field")}=1`, key);
  const token = { authorization: `Bearer ${accessToken}` };
  await ask("DELETE", `/api/v1/suppression/${canaries.make("address")}@example.io`, token);
  await ask("POST", "/api/v1/domains", token, { domain_name: `${canaries.make("address")}.io` });
  const [first] = accepted;
  if (first?.status !== 202) throw new Error(`a send was answered ${first?.status}`);
  for (const path of ["status", "timeline"]) await ask("GET", `/api/v1/send/${first.body.id}/${path}`, key);
  return [first.body.id];
}
