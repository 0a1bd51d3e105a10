import { randomBytes } from "node:crypto";
import { setLimits } from "../../src/accounts/limit-store.ts";
import type { ApiDeps } from "../../src/api/http/api-server.ts";
import type { Database } from "../../src/db/database.ts";
import type { Mode } from "../../src/mode.ts";
import { aLogin, anAccount, anApiKey } from "../../test/builders.ts";
import { aQueuedSend, aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";

/** An account with a resource of every kind, in both modes. */
export interface ScopeAccount {
  accountId: string;
  accessToken: string;
  /** Verified. */
  domain: string;
  domainId: number;
  /** Of a key that the proof neither uses nor revokes. */
  keyId: string;
  sends: Record<Mode, string>;
  suppressed: string;
}

const enough = 1_000_000;

export async function aScopeAccount(db: Database, deps: ApiDeps): Promise<ScopeAccount> {
  const accountId = await anAccount(db);
  await setLimits(db, accountId, { perSecond: enough, per10Seconds: enough, perMinute: enough });
  await db.query({
    name: "many-keys",
    text: "update accounts set api_key_limit = 100000 where id = $1",
    values: [accountId],
  });
  const { accessToken } = await aLogin(db, deps.loginDeps, { accountId });
  const domain = await aVerifiedDomain(db, accountId, `d${randomBytes(6).toString("hex")}.example`);
  const [row] = await db.query<{ id: number }>({
    name: "domain-of",
    text: "select id from domains where account_id = $1",
    values: [accountId],
  });
  const { id: keyId } = await anApiKey(db, deps.apiKeyIssuer, accountId);
  const suppressed = `gone@${domain}`;
  for (const mode of ["live", "test"] as const) await aSuppression(db, { accountId, mode, email: suppressed });
  const sends = {
    live: await aQueuedSend(db, { accountId, mode: "live", fromDomain: domain }),
    test: await aQueuedSend(db, { accountId, mode: "test", fromDomain: domain }),
  };
  return { accountId, accessToken, domain, domainId: row?.id ?? 0, keyId, sends, suppressed };
}
