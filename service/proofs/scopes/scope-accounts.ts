import { randomBytes, randomUUIDv7 } from "node:crypto";
import { setLimits } from "../../src/accounts/limit-store.ts";
import type { Role } from "../../src/accounts/role.ts";
import type { ApiDeps } from "../../src/api/http/api-server.ts";
import type { Database } from "../../src/db/database.ts";
import { insertInvitation } from "../../src/invitations/invitation-store.ts";
import type { Mode } from "../../src/mode.ts";
import { aLogin, anAccount, anApiKey, aUser } from "../../test/builders.ts";
import { anOperatorLogin } from "../../test/operator-login.ts";
import { anAttachment, aQueuedSend, aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";
import { aDelivery, aListener, aReplay, aWebhook } from "../../test/webhook-builders.ts";

/** An account with a resource of every kind, in both modes. */
export interface ScopeAccount {
  accountId: string;
  /** Of users who each have one role. */
  accessTokens: Record<Role, string>;
  /** Of a viewer who is an operator and has logged in with TOTP. */
  operatorToken: string;
  /** A member who calls nothing. */
  memberId: string;
  invitationId: string;
  /** Verified. */
  domain: string;
  domainId: number;
  /** Of a key that the proof neither uses nor revokes. */
  keyId: string;
  sends: Record<Mode, string>;
  suppressed: string;
  webhooks: Record<Mode, ScopeWebhook>;
}

interface ScopeWebhook {
  id: string;
  deliveryId: string;
  replayId: string;
  listenerId: string;
  /** To be deleted. */
  spareId: string;
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
  const tokenOf = async (role: Role) => (await aLogin(db, deps.loginDeps, { accountId, role })).accessToken;
  const accessTokens = {
    owner: await tokenOf("owner"),
    developer: await tokenOf("developer"),
    viewer: await tokenOf("viewer"),
  };
  const { id: memberId } = await aUser(db, { accountId, role: "viewer" });
  const invitation = {
    id: randomUUIDv7(),
    email: "invited@example.test",
    role: "viewer",
    invitedBy: undefined,
  } as const;
  await insertInvitation(db.forAccount(accountId), { ...invitation, tokenHash: randomBytes(32) });
  const domain = await aVerifiedDomain(db, accountId, `d${randomBytes(6).toString("hex")}.example`);
  const [row] = await db.query<{ id: number }>({
    name: "domain-of",
    text: "select id from domains where account_id = $1",
    values: [accountId],
  });
  const { id: keyId } = await anApiKey(db, deps.apiKeyIssuer, accountId);
  const suppressed = `gone@${domain}`;
  for (const mode of ["live", "test"] as const) await aSuppression(db, { accountId, mode, email: suppressed });
  const attachments = [anAttachment(Buffer.from(domain))];
  const sends = {
    live: await aQueuedSend(db, { accountId, mode: "live", fromDomain: domain, attachments }),
    test: await aQueuedSend(db, { accountId, mode: "test", fromDomain: domain, attachments }),
  };
  const webhooks = {
    live: await aScopeWebhook(db, accountId, "live"),
    test: await aScopeWebhook(db, accountId, "test"),
  };
  const people = {
    accessTokens,
    operatorToken: (await anOperatorLogin(db, deps.loginDeps, { accountId, role: "viewer" })).accessToken,
    memberId,
    invitationId: invitation.id,
  };
  return { accountId, ...people, domain, domainId: row?.id ?? 0, keyId, sends, suppressed, webhooks };
}

async function aScopeWebhook(db: Database, accountId: string, mode: Mode): Promise<ScopeWebhook> {
  const id = await aWebhook(db, { accountId, mode });
  const deliveryId = await aDelivery(db, { accountId, endpointId: id });
  const replayId = await aReplay(db, { accountId, endpointId: id });
  const { id: listenerId } = await aListener(db, { accountId, mode, seconds: 3_600 });
  return { id, deliveryId, replayId, listenerId, spareId: await aWebhook(db, { accountId, mode }) };
}
