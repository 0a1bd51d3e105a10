import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aUser } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { createApiKey } from "../api-keys/create-api-key.ts";
import { insertLogin } from "../logins/login-store.ts";
import { changeRole, removeMember } from "./membership-store.ts";

const api = useTestApi();

test("an owner who is removed or demoted while creating API keys causes no deadlock, 40 times out of 40", async () => {
  const problems: unknown[] = [];
  for (let round = 0; round < 40; round++) {
    const { db, member } = await anAccountWithMember();
    const request = { name: "a key", type: "live", expiresAt: null, createdBy: member.id } as const;
    const keys = Array.from({ length: 5 }, () => createApiKey(db, api.deps.apiKeyIssuer, request));
    const end =
      round % 2 === 0
        ? removeMember(db, { userId: member.id })
        : changeRole(db, { userId: member.id, role: "developer" });
    problems.push(...(await problemsOf([...keys, end])).filter((code) => code !== "FORBIDDEN"));
  }
  expect(problems).toEqual([]);
}, 60_000);

test("an owner who is removed while logging in causes no deadlock, 40 times out of 40", async () => {
  const problems: unknown[] = [];
  for (let round = 0; round < 40; round++) {
    const { db, member } = await anAccountWithMember();
    const [stored] = await change(api.database.db, "select password_hash from users where id = $1", [member.id]);
    const logins = Array.from({ length: 5 }, () =>
      insertLogin(api.database.db, {
        id: randomUUIDv7(),
        userId: member.id,
        accountId: db.accountId,
        nonce: api.deps.loginDeps.refreshTokens.newNonce(),
        passwordHash: String(stored?.password_hash),
        client: { address: "192.0.2.1", userAgent: "a client for tests" },
      }),
    );
    problems.push(...(await problemsOf([...logins, removeMember(db, { userId: member.id })])));
  }
  expect(problems).toEqual([]);
}, 60_000);

test("a removal waits for a join by an invitation of the same address before it locks the membership", async () => {
  const { db, member } = await anAccountWithMember();
  const invite = `insert into invitations (id, account_id, email, role, token_hash, expires_at)
    values ($1, $2, $3, 'viewer', '\\x01', now() + interval '1 day')`;
  await change(api.database.db, invite, [randomUUIDv7(), db.accountId, member.email]);
  let removal: Promise<boolean> | undefined;
  // The two steps of joinByInvitation, with the removal between them.
  await api.database.db.withTransaction(async (tx) => {
    const values = [db.accountId, member.id];
    const used = "delete from invitations where account_id = $1 and email = (select email from users where id = $2)";
    await tx.query({ name: "test-use-invitation", text: used, values });
    removal = removeMember(db, { userId: member.id });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const joined =
      "insert into memberships (account_id, user_id, role) values ($1, $2, 'viewer') on conflict (user_id, account_id) do nothing";
    await tx.query({ name: "test-join", text: joined, values });
  });
  expect(await removal).toBe(true);
});

async function anAccountWithMember() {
  const { accountId } = await aUser(api.database.db);
  const member = await aUser(api.database.db, { accountId });
  return { db: api.database.db.forAccount(accountId), member };
}

async function problemsOf(changes: Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(changes);
  return outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
}
