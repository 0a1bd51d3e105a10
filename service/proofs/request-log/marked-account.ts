import { setLimits } from "../../src/accounts/limit-store.ts";
import { keyScopes } from "../../src/api-keys/scopes.ts";
import type { Database } from "../../src/db/database.ts";
import { aLogin, anAccount, anApiKey } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import type { TestApi } from "../../test/with-test-apis.ts";
import type { Canaries } from "../leaks/canaries.ts";
import type { MarkedRequest } from "./marked-requests.ts";

export interface MarkedAccount {
  accountId: string;
  from: string;
  keyId: string;
  /** The headers of a credential. */
  key: Record<string, string>;
  token: Record<string, string>;
}

/** An account without limits in its way, whose credentials are markers. */
export async function aMarkedAccount(
  db: Database,
  { deps }: TestApi,
  canaries: Canaries,
  perSecond = 100_000,
): Promise<MarkedAccount> {
  const accountId = await anAccount(db);
  await setLimits(db, accountId, { perSecond, per10Seconds: perSecond * 10, perMinute: perSecond * 60 });
  const domain = await aVerifiedDomain(db, accountId);
  const { id, key } = await anApiKey(db, deps.apiKeyIssuer, accountId, {
    name: "a key",
    type: "live",
    scopes: [...keyScopes],
  });
  const { accessToken } = await aLogin(db, deps.loginDeps, { accountId });
  canaries.add("API key", key.slice(-30));
  canaries.add("token", accessToken.split(".").at(-1) ?? "");
  return {
    accountId,
    from: `orders@${domain}`,
    keyId: id,
    key: { "x-api-key": key },
    token: { authorization: `Bearer ${accessToken}` },
  };
}

/** Sends the request with a marker in headers that nobody asked for, and counts its status. */
export function sender(url: string, canaries: Canaries, statuses: Map<number, number>) {
  return async ({ method, path, headers, body }: MarkedRequest, credential: Record<string, string>): Promise<void> => {
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(payload !== undefined && { "content-type": "application/json" }),
        "user-agent": canaries.make("path or field"),
        "x-forwarded-for": canaries.make("address"),
        cookie: `session=${canaries.make("token")}`,
        [`x-${canaries.make("path or field")}`]: canaries.make("body"),
        ...headers,
        ...credential,
      },
      ...(payload !== undefined && { body: payload }),
    });
    await response.arrayBuffer();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  };
}

const together = 8;

/** A few at a time, with each credential in turn. */
export async function sendAll(
  send: ReturnType<typeof sender>,
  requests: MarkedRequest[],
  credentials: Record<string, string>[],
): Promise<void> {
  const waiting = [...requests.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, request] = next;
      await send(request, credentials[index % credentials.length] ?? {});
    }
  };
  await Promise.all(Array.from({ length: together }, work));
}
