import { setTimeout as pause } from "node:timers/promises";
import { openTestDatabase } from "../../service/test/template-database.ts";
import { type Account, logIn } from "../src/account.ts";
import { createClient } from "../src/client.ts";
import type { Login } from "../src/settings.ts";
import type { Deployment } from "./deployment.ts";

const maxTries = 300;

/** Registers a domain, publishes its DNS records and waits until the worker has verified it. */
export async function verifyDomain(deployment: Deployment, login: Login, name: string): Promise<void> {
  const account = await logIn(createClient(deployment.url), login);
  const { body } = await account.asUser("POST", "/api/v1/domains", { body: { domain_name: name } });
  for (const { type, name: at, value } of body.dns_records) {
    await deployment.publish(at, type === "TXT" ? `TXT "${value}"` : `CNAME ${value}.`);
  }
  // SES checks DKIM records at intervals. This call makes the simulator check them immediately.
  const check = { method: "POST", body: JSON.stringify({ status: "CHECK" }) };
  await fetch(`${deployment.simulatorUrl}/_simulator/identities/${name}/verification`, check);
  await waitForStatus(account, body.domain_id, "Success");
}

/** Registers a domain, publishes nothing and backdates the registration by 73 hours, so that the worker marks it as failed. */
export async function failDomain(deployment: Deployment, login: Login, name: string): Promise<void> {
  const account = await logIn(createClient(deployment.url), login);
  const { body } = await account.asUser("POST", "/api/v1/domains", { body: { domain_name: name } });
  const db = openTestDatabase(deployment.databaseUrl);
  const text =
    "update domains set registered_at = now() - interval '73 hours', created_at = now() - interval '73 hours' where id = $1";
  await db.query({ name: "age-domain", text, values: [body.domain_id] });
  await db.close();
  await waitForStatus(account, body.domain_id, "Failed");
}

async function waitForStatus(account: Account, domainId: number, wanted: string): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const { body } = await account.asUser("GET", `/api/v1/domains/${domainId}`);
    if (body?.verification_status === wanted) return;
    // The API accepts one check every 10 seconds and refuses more without side effects.
    if (tries % 50 === 0) await account.asUser("POST", `/api/v1/domains/${domainId}/verify`);
    await pause(200);
  }
  throw new Error(`domain ${domainId} did not become ${wanted} within a minute`);
}
