import { randomBytes } from "node:crypto";
import type { KeyScope } from "../src/api-keys/scopes.ts";
import type { Mode } from "../src/mode.ts";
import { anAccount, anApiKey } from "./builders.ts";
import { aVerifiedDomain } from "./send-builders.ts";
import { useTestApi } from "./use-test-api.ts";

export const hello = { to: ["jane@example.io"], subject: "Hello", text: "Hi Jane" };

export interface TestSender {
  accountId: string;
  key: string;
  domain: string;
  from: string;
}

/** The API with accounts that may send, for the tests of the send routes. */
export function useSendingApi() {
  const api = useTestApi();

  async function aSender({
    type = "live",
    isUnlimited = true,
    scopes = ["send"],
  }: {
    type?: Mode;
    isUnlimited?: boolean;
    scopes?: KeyScope[];
  } = {}): Promise<TestSender> {
    const accountId = await anAccount(api.database.db);
    const domain = await aVerifiedDomain(api.database.db, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type, scopes });
    if (isUnlimited) await setLimits(accountId, 1000, 10_000, 60_000);
    return { accountId, key, domain, from: `orders@${domain}` };
  }

  async function setLimits(accountId: string, second: number, tenSeconds: number, minute: number): Promise<void> {
    await api.database.db.query({
      name: "set-test-limits",
      text: `
        update accounts
        set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4
        where id = $1`,
      values: [accountId, second, tenSeconds, minute],
    });
  }

  function send(sender: { key: string; from: string }, body: Record<string, unknown> = {}, headers = {}) {
    return api.call({
      method: "POST",
      path: "/api/v1/send",
      key: sender.key,
      headers,
      body: { from: sender.from, ...hello, ...body },
    });
  }

  function statusOf(id: string, credential: { key?: string; token?: string }, query = "") {
    return api.call({ method: "GET", path: `/api/v1/send/${id}/status${query}`, ...credential });
  }

  function countSends(accountId: string): Promise<number> {
    return api.database.db
      .query<{ count: number }>({
        name: "count-sends",
        text: `select count(*) as count from sends where account_id = $1`,
        values: [accountId],
      })
      .then(([row]) => row?.count ?? -1);
  }

  function eventsOf(sendId: string) {
    return api.database.db.query<{ type: string; recipient: string; reason: string }>({
      name: "events-of-send",
      text: `
        select event_type as type, recipient, suppression_reason as reason
        from events
        where send_id = $1
        order by recipient`,
      values: [sendId],
    });
  }

  return { api, aSender, setLimits, send, statusOf, countSends, eventsOf };
}

/** The fields that a refusal names, each with its error code. */
export function fieldsOf(response: { json(): { error: { details: { field: string; code: string }[] } } }) {
  return response.json().error.details.map(({ field, code }) => `${field} ${code}`);
}
