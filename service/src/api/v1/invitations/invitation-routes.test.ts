import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, aUser, usualPassword } from "../../../../test/builders.ts";
import { newHome } from "../../../../test/move-builders.ts";
import { moveOut } from "../../../../test/moving-account.ts";
import { change } from "../../../../test/send-rows.ts";
import { tokenIn } from "../../../../test/system-mail-fixture.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { changeRole, removeMember } from "../../../accounts/membership-store.ts";
import type { Role } from "../../../accounts/role.ts";

/** Without SYSTEM_SENDER: the response contains the link. */
const api = useTestApi({ PUBLIC_URL: "https://mail.example.com" });
const password = "a long new password";

describe("an owner", () => {
  test("gets a link with the token in the fragment, from PUBLIC_URL whatever the Host header says, and only its hash is stored", async () => {
    const owner = await anOwner();
    const email = anEmail();
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const { status, json } = await api.call({
      method: "POST",
      path: "/api/v1/invitations",
      token: owner.accessToken,
      headers,
      body: { email, role: "viewer" },
    });
    expect(status).toBe(201);
    expect(json()).toMatchObject({ email, role: "viewer", invited_by: owner.id, mailed: false });
    expect(json().link).toMatch(/^https:\/\/mail\.example\.com\/invitation#token=[\w-]{43}$/);
    const days = (Date.parse(json().expires_at) - Date.parse(json().created_at)) / 86_400_000;
    expect(days).toBeCloseTo(7, 3);
    const stored = await change(api.database.db, "select i::text as row from invitations i where email = $1", [email]);
    expect(JSON.stringify(stored)).not.toContain(tokenIn(json().link));
    const { json: list, text } = await api.call({
      method: "GET",
      path: "/api/v1/invitations",
      token: owner.accessToken,
    });
    expect(list()).toMatchObject([{ id: json().id, email }]);
    expect(text).not.toContain("link");
  });

  test("withdraws an invitation, and replaces one by inviting the same address again", async () => {
    const owner = await anOwner();
    const email = anEmail();
    const [first, second] = [await invite(owner, email), await invite(owner, email.toUpperCase())];
    expect((await accept(first.token)).status).toBe(404);
    expect((await remove(owner.accessToken, second.id)).status).toBe(200);
    expect((await remove(owner.accessToken, second.id)).status).toBe(404);
    expect((await accept(second.token)).status).toBe(404);
  });

  test("gets 409 for a member, and the same answer for a user of another account as for nobody", async () => {
    const [owner, stranger] = [await anOwner(), await aUser(api.database.db)];
    const answer = (email: string) => create(owner.accessToken, email, "viewer");
    expect((await answer(owner.email)).status).toBe(409);
    const [known, unknown] = [await answer(stranger.email), await answer(anEmail())];
    expect([known.status, Object.keys(known.json())]).toEqual([unknown.status, Object.keys(unknown.json())]);
  });

  test("gets 422 for an address that cannot exist, such as the name of a user who logs in by OIDC", async () => {
    const owner = await anOwner();
    for (const email of ["0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f@oidc.invalid", "jane@OIDC.Invalid", "jane@invalid"]) {
      expect([email, (await create(owner.accessToken, email, "viewer")).status]).toEqual([email, 422]);
    }
    expect((await create(owner.accessToken, "jane@invalid.example.com", "viewer")).status).toBe(201);
  });

  test("sees and withdraws no invitation of another account", async () => {
    const [owner, other] = [await anOwner(), await anOwner()];
    const { id } = await invite(other, anEmail());
    const { json } = await api.call({ method: "GET", path: "/api/v1/invitations", token: owner.accessToken });
    expect(json()).toEqual([]);
    expect((await remove(owner.accessToken, id)).status).toBe(404);
  });

  test("may invite one address 5 times and 50 addresses an hour, then gets 429 with Retry-After", async () => {
    const owner = await anOwner();
    const email = anEmail();
    for (let count = 0; count < 5; count++) expect((await create(owner.accessToken, email, "viewer")).status).toBe(201);
    const refused = await create(owner.accessToken, email, "viewer");
    expect([refused.status, Number(refused.headers["retry-after"]) > 3000]).toEqual([429, true]);
    for (let count = 0; count < 44; count++) await create(owner.accessToken, anEmail(), "viewer");
    expect((await create(owner.accessToken, anEmail(), "viewer")).status).toBe(429);
  });
});

test("the invitations of one account do not keep another account from inviting the same address", async () => {
  const [one, other] = [await anOwner(), await anOwner()];
  const email = anEmail();
  for (let count = 0; count < 6; count++) await create(one.accessToken, email, "viewer");
  expect((await create(other.accessToken, email, "viewer")).status).toBe(201);
});

describe("the invited person", () => {
  test("with a short password gets the same answer as a user and as a new person", async () => {
    const [owner, user] = [await anOwner(), await aUser(api.database.db)];
    const tokens = [await invite(owner, user.email), await invite(owner, anEmail())];
    const answers = await Promise.all(tokens.map(({ token }) => accept(token, "short")));
    const [known, unknown] = answers.map(({ status, json }) => [status, json().error.message]);
    expect(known).toEqual(unknown);
  });

  test("who is new chooses a password of at least 12 characters and can log in with the invited role only", async () => {
    const owner = await anOwner();
    const email = anEmail();
    const { token } = await invite(owner, email, "developer");
    expect((await accept(token, "short")).status).toBe(422);
    const { status, json } = await accept(token);
    expect([status, json().tenant_id, json().role]).toEqual([200, owner.accountId, "developer"]);
    expect((await logIn(email, password)).status).toBe(200);
    expect(await rolesOf(email)).toEqual([{ account_id: owner.accountId, role: "developer" }]);
    expect((await accept(token)).status).toBe(404);
  });

  test("who is a user joins with the own password, and a wrong one changes nothing", async () => {
    const [owner, user] = [await anOwner(), await aUser(api.database.db)];
    const { token } = await invite(owner, user.email, "viewer");
    expect((await accept(token, "not the password")).status).toBe(401);
    expect(await rolesOf(user.email)).toHaveLength(1);
    expect((await accept(token, usualPassword)).status).toBe(200);
    expect(await rolesOf(user.email)).toHaveLength(2);
    expect((await logIn(user.email, usualPassword)).status).toBe(200);
  });

  test("who is logged in joins without a password, but not by the invitation of another address", async () => {
    const [owner, user, other] = [await anOwner(), await anOwner(), await anOwner()];
    const { token } = await invite(owner, user.email, "viewer");
    expect((await join(other.accessToken, token)).status).toBe(404);
    expect((await join(user.accessToken, token)).status).toBe(200);
    expect((await join(user.accessToken, token)).status).toBe(404);
    expect(await rolesOf(user.email)).toHaveLength(2);
    expect(await rolesOf(other.email)).toHaveLength(1);
  });

  test("who became a member meanwhile keeps that role, which the answer and the audit name", async () => {
    for (const use of [join, (_token: string, token: string) => accept(token, usualPassword)]) {
      const [owner, user] = [await anOwner(), await aLogin(api.database.db, api.deps.loginDeps)];
      const { token } = await invite(owner, user.email, "owner");
      await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
        user.id,
        owner.accountId,
      ]);
      const { status, json } = await use(user.accessToken, token);
      expect([status, json().role]).toEqual([200, "viewer"]);
      expect(await rolesOf(user.email)).toContainEqual({ account_id: owner.accountId, role: "viewer" });
      const entries = await auditRows(api.database.db, owner.accountId, "invitation.accept");
      expect(entries.map(({ after }) => after)).toEqual([{ user_id: user.id, role: "viewer" }]);
    }
  });

  test("joins once when the same link is used several times at once", async () => {
    const owner = await anOwner();
    const email = anEmail();
    const { token } = await invite(owner, email, "viewer");
    const answers = await Promise.all(Array.from({ length: 6 }, () => accept(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(5);
    expect(await rolesOf(email)).toHaveLength(1);
  });

  test("who is new and accepts the invitations of two accounts at once becomes one user in both", async () => {
    const [one, other] = [await anOwner(), await anOwner()];
    const email = anEmail();
    const tokens = [await invite(one, email, "viewer"), await invite(other, email, "developer")];
    const answers = await Promise.all(tokens.map(({ token }) => accept(token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await rolesOf(email)).toHaveLength(2);
  });

  test("cannot use an expired link, nor the link of a suspended account", async () => {
    const owner = await anOwner();
    const { token, id } = await invite(owner, anEmail());
    await change(api.database.db, "update accounts set suspended_at = now() where id = $1", [owner.accountId]);
    expect((await accept(token)).status).toBe(401);
    await change(api.database.db, "update accounts set suspended_at = null where id = $1", [owner.accountId]);
    await change(api.database.db, "update invitations set expires_at = now() where id = $1", [id]);
    expect((await accept(token)).status).toBe(404);
  });

  test("cannot use the link of an account that moves or has moved", async () => {
    const owner = await anOwner();
    const { token } = await invite(owner, anEmail());
    await moveOut(api.database.db, owner.accountId, "held");
    expect((await accept(token)).status).toBe(503);
    await moveOut(api.database.db, owner.accountId, "released");
    const refused = await accept(token);
    expect([refused.status, refused.json().error.message]).toEqual([401, expect.stringContaining(newHome)]);
  });

  test("cannot come back by an open invitation after a removal", async () => {
    const [owner, user] = [await anOwner(), await aUser(api.database.db)];
    const { token } = await invite(owner, user.email, "viewer");
    await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
      user.id,
      owner.accountId,
    ]);
    await removeMember(api.database.db.forAccount(owner.accountId), { userId: user.id });
    expect((await accept(token, usualPassword)).status).toBe(404);
    expect(await rolesOf(user.email)).toHaveLength(1);
  });
});

describe("the invitations of an owner", () => {
  test("end with the removal or the demotion of the owner", async () => {
    for (const end of [
      (accountId: string, userId: string) => removeMember(api.database.db.forAccount(accountId), { userId }),
      (accountId: string, userId: string) =>
        changeRole(api.database.db.forAccount(accountId), { userId, role: "developer" }),
    ]) {
      const owner = await anOwner();
      await aUser(api.database.db, { accountId: owner.accountId });
      const { token } = await invite(owner, anEmail());
      await end(owner.accountId, owner.id);
      expect((await accept(token)).status).toBe(404);
    }
  });

  test("that are made while the owner is removed never work afterwards", async () => {
    for (let round = 0; round < 10; round++) {
      const owner = await anOwner();
      await aUser(api.database.db, { accountId: owner.accountId });
      const inviting = Array.from({ length: 4 }, () => create(owner.accessToken, anEmail(), "owner"));
      const [, ...answers] = await Promise.all([
        removeMember(api.database.db.forAccount(owner.accountId), { userId: owner.id }),
        ...inviting,
      ]);
      for (const answer of answers) {
        expect([201, 401, 403]).toContain(answer.status);
        if (answer.status === 201) expect((await accept(tokenIn(answer.json().link))).status).toBe(404);
      }
    }
  });
});

function anOwner() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

function anEmail(): string {
  return `jane-${randomBytes(6).toString("hex")}@example.com`;
}

function create(token: string, email: string, role: Role) {
  return api.call({ method: "POST", path: "/api/v1/invitations", token, body: { email, role } });
}

async function invite({ accessToken }: { accessToken: string }, email: string, role: Role = "viewer") {
  const { json } = await create(accessToken, email, role);
  return { id: json().id as string, token: tokenIn(json().link) };
}

/** From a new address each time: failures are counted by address. */
function accept(token: string, chosen = password) {
  const body = { token, password: chosen };
  return api.call({ method: "POST", path: "/api/v1/auth/invitations/accept", body, remoteAddress: anAddress() });
}

function join(accessToken: string, token: string) {
  return api.call({ method: "POST", path: "/api/v1/auth/invitations/join", token: accessToken, body: { token } });
}

function remove(token: string, id: string) {
  return api.call({ method: "DELETE", path: `/api/v1/invitations/${id}`, token });
}

function logIn(email: string, given: string) {
  const body = { email, password: given };
  return api.call({ method: "POST", path: "/api/v1/auth/login", body, remoteAddress: anAddress() });
}

function anAddress(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}

function rolesOf(email: string): Promise<Record<string, unknown>[]> {
  return change(
    api.database.db,
    "select m.account_id, m.role from memberships m join users u on u.id = m.user_id where u.email = $1",
    [email],
  );
}
