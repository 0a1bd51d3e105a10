import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { listDomains } from "../domains/domain-store.ts";
import { type SeededAccount, seededEmail } from "./seed-account.ts";

/** The sender in the examples of the documentation, so that they run against `postern dev` as printed. */
export const seededDomain = "acme.io";

/** Registers the domain through the API and resolves when it is verified. Rejects when `signal` is aborted. */
export async function seedDomain(
  db: Database,
  apiUrl: string,
  { accountId, password }: SeededAccount,
  signal: AbortSignal,
): Promise<void> {
  const find = async () =>
    (await listDomains(db.forAccount(accountId))).find(({ domainName }) => domainName === seededDomain);
  if ((await find()) === undefined) await register(apiUrl, password, signal);
  while ((await find())?.verificationStatus !== "Success") await sleep(250, undefined, { signal });
}

async function register(apiUrl: string, password: string, signal: AbortSignal): Promise<void> {
  const post = async (path: string, body: object, headers = {}): Promise<Record<string, unknown>> => {
    const response = await fetch(`${apiUrl}/api/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>; // The published interface defines objects here.
  };
  const { access_token } = await post("auth/login", { email: seededEmail, password });
  await post("domains", { domain_name: seededDomain }, { authorization: `Bearer ${String(access_token)}` });
}
