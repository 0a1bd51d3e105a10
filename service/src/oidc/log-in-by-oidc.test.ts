import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type AuditRow, auditRows } from "../../test/audit-rows.ts";
import { anAccount, aUser } from "../../test/builders.ts";
import {
  claimsOf,
  type ForgingIssuer,
  issuerSettings,
  signToken,
  startForgingIssuer,
  tokenBody,
} from "../../test/forging-issuer.ts";
import { newHome } from "../../test/move-builders.ts";
import { endMove, moveOut } from "../../test/moving-account.ts";
import { accessTokenOf, callBack, honestQuery, publicUrl, startFlow } from "../../test/oidc-browser.ts";
import { change } from "../../test/send-rows.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { startTestApi, type TestApi } from "../../test/with-test-apis.ts";
import { resumeAccount, suspendAccount } from "../accounts/account-store.ts";
import { resetPassword } from "../logins/reset-password.ts";

const database = useTestDatabase();
let issuer: ForgingIssuer;
let api: TestApi;
let [first, second] = ["", ""];
let subject = "";

beforeAll(async () => {
  issuer = await startForgingIssuer();
  [first, second] = [await anAccount(database.db), await anAccount(database.db)];
  const rules = [
    { claim: "groups", value: "readers", account: first, role: "viewer" },
    { claim: "groups", value: "others", account: second, role: "viewer" },
    { claim: "groups", value: "nowhere", account: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", role: "viewer" },
  ];
  const settings = issuerSettings(issuer.url, first, rules);
  api = await startTestApi(database.db, anEnvironment({ PUBLIC_URL: publicUrl, ...settings }), []);
});
beforeEach(() => {
  subject = `subject-${Math.random()}`;
});
afterAll(async () => {
  await api.app.close();
  await issuer.close();
});

test("memberships follow the claims at each log-in: added, changed and removed, and a removal ends the sessions", async () => {
  const one = await logIn({ groups: ["readers"] });
  expect(await memberships()).toEqual([[first, "viewer"]]);
  await logIn({ groups: ["readers", "mail-team", "others"] });
  expect(await memberships()).toEqual(sorted([first, "developer"], [second, "viewer"]));
  await logIn({ groups: ["others"] });
  expect(await memberships()).toEqual([[second, "viewer"]]);
  expect(await accessTokenOf(api.app, one.refreshCookie)).toBeUndefined();
});

test("without a rule the log-in is refused with whom to ask, and what earlier log-ins gave is removed", async () => {
  const { refreshCookie } = await logIn({ groups: ["mail-team"] });
  for (const groups of [[], ["nowhere"]]) {
    const { status, text } = await logIn({ groups });
    expect(status).toBe(403);
    expect(text).toContain("Ask the operator of this installation for a rule");
  }
  expect(await memberships()).toEqual([]);
  expect(await accessTokenOf(api.app, refreshCookie)).toBeUndefined();
});

test("a membership that a person gave stays, and so does the role of owner", async () => {
  await logIn({ groups: ["readers"] });
  await change(
    database.db,
    `insert into memberships (user_id, account_id, role) select user_id, $2, 'developer' from oidc_identities where subject = $1`,
    [subject, second],
  );
  await change(
    database.db,
    `update memberships set role = 'owner' where account_id = $2 and user_id = (select user_id from oidc_identities where subject = $1)`,
    [subject, first],
  );
  await logIn({ groups: ["others"] });
  expect(await memberships()).toEqual(sorted([first, "owner"], [second, "developer"]));
});

test("a verified address of a local user opens nothing of that user", async () => {
  const owner = await aUser(database.db, { accountId: second });
  const { refreshCookie } = await logIn({ groups: ["readers"], email: owner.email, email_verified: true });
  const authorization = `Bearer ${await accessTokenOf(api.app, refreshCookie)}`;
  const me = (await api.app.inject({ url: "/api/v1/auth/me", headers: { authorization } })).json();
  expect(me).toMatchObject({ email: owner.email, tenant_id: first, role: "viewer" });
  expect(me.user_id).not.toBe(owner.id);
  expect(me.memberships).toHaveLength(1);
});

test("a session ends after 12 hours, also when it is refreshed", async () => {
  const { refreshCookie } = await logIn({ groups: ["readers"] });
  await accessTokenOf(api.app, refreshCookie);
  const ofSubject = "user_id = (select user_id from oidc_identities where subject = $1)";
  const [login] = await change(
    database.db,
    `select extract(epoch from expires_at - created_at)::integer as seconds from logins where ${ofSubject}`,
    [subject],
  );
  expect(login).toEqual({ seconds: 43_200 });
  await change(database.db, `update logins set expires_at = now() where ${ofSubject}`, [subject]);
  expect(await accessTokenOf(api.app, refreshCookie)).toBeUndefined();
});

test("such a user has no password, in no version of the code, and only the operator is told so", async () => {
  await logIn({ groups: ["readers"], email: "Grace@acme.test", email_verified: true });
  const [user] = await change(database.db, "select email from users where contact_email = 'grace@acme.test'");
  const email = String(user?.email);
  for (const name of [email, "grace@acme.test"]) {
    const body = JSON.stringify({ email: name, password: "a password for tests" });
    const headers = { "content-type": "application/json" };
    const answer = await api.app.inject({ method: "POST", url: "/api/v1/auth/login", headers, payload: body });
    expect(answer.json().error.message).toBe("The email or the password is wrong.");
    await expect(resetPassword(database.db, name)).rejects.toThrow("logs in by OIDC");
  }
  const update =
    "update users set password_hash = (select password_hash from users where not is_oidc limit 1) where email = $1";
  await expect(change(database.db, update, [email])).rejects.toThrow("users_oidc_without_password");
});

test("a suspended account is refused, and another account of the person opens instead", async () => {
  await suspendAccount(database.db, first);
  const refused = await logIn({ groups: ["readers"] });
  expect([refused.status, refused.refreshCookie]).toEqual([401, undefined]);
  expect(refused.text).toContain("suspended");
  expect((await logIn({ groups: ["readers", "others"] })).status).toBe(302);
  await resumeAccount(database.db, first);
});

test("an account that moves is 503, one that has moved names its new address, and another account opens instead", async () => {
  await moveOut(database.db, first, "held");
  const refused = await logIn({ groups: ["readers"] });
  expect([refused.status, refused.refreshCookie]).toEqual([503, undefined]);
  expect(refused.text).toContain("moving to another cell");
  expect((await logIn({ groups: ["readers", "others"] })).status).toBe(302);
  await moveOut(database.db, first, "released");
  const moved = await logIn({ groups: ["readers"] });
  expect([moved.status, moved.text]).toEqual([401, expect.stringContaining(newHome)]);
  await endMove(database.db, first);
});

test("eight first log-ins of one person at once make one user", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => logIn({ groups: ["readers"] })));
  expect(all.map(({ status }) => status)).toEqual(new Array(8).fill(302));
  expect(await memberships()).toEqual([[first, "viewer"]]);
  expect(
    await change(database.db, "select from users where is_oidc and id not in (select user_id from oidc_identities)"),
  ).toEqual([]);
});

test("the audit of each account names the log-in and the membership that it gave, changed or took", async () => {
  const email = { email: "Ada@acme.test", email_verified: true };
  for (const groups of [["readers"], ["readers", "mail-team", "others"], ["others"]]) await logIn({ groups, ...email });
  const byRules = { actor_kind: "system", actor_name: "OIDC", target_name: "ada@acme.test" };
  const byPerson = { actor_kind: "user", actor_name: "ada@acme.test", target_name: "ada@acme.test" };
  expect(await entriesIn(first)).toMatchObject([
    { action: "log-in", ...byPerson, after: { by: "oidc" } },
    { action: "log-in", ...byPerson },
    { action: "member.add", ...byRules, before: null, after: { role: "viewer" } },
    { action: "member.remove", ...byRules, before: { role: "developer" }, after: null },
    { action: "member.role-change", ...byRules, before: { role: "viewer" }, after: { role: "developer" } },
  ]);
  expect(await entriesIn(second)).toMatchObject([{ action: "log-in" }, { action: "member.add" }]);
});

test("a refused log-in leaves a failed one and the removals", async () => {
  await logIn({ groups: ["readers"] });
  await logIn({ groups: [] });
  expect(await entriesIn(first)).toMatchObject([
    { action: "log-in" },
    { action: "log-in.fail", actor_kind: "user", after: { by: "oidc", refused: "not-mapped" } },
    { action: "member.add" },
    { action: "member.remove" },
  ]);
});

test("a log-in to a suspended account leaves one failed log-in for each minute in its audit", async () => {
  await logIn({ groups: ["readers"], email: "ada@acme.test", email_verified: true });
  await suspendAccount(database.db, first);
  for (let count = 0; count < 3; count++) expect((await logIn({ groups: ["readers"] })).status).toBe(401);
  await resumeAccount(database.db, first);
  const failed = (await entriesIn(first)).filter(({ action }) => action === "log-in.fail");
  // A minute may end between them.
  expect([1, 2]).toContain(failed.length);
  expect(failed[0]).toMatchObject({ target_kind: "user", after: { by: "oidc", refused: "suspended" } });
});

/** Those about the subject, by action: the entries of one transaction have one time. */
async function entriesIn(accountId: string): Promise<AuditRow[]> {
  const [user] = await change(database.db, "select user_id from oidc_identities where subject = $1", [subject]);
  const entries = (await auditRows(database.db, accountId)).filter((row) => row.target_id === user?.user_id);
  return entries.toSorted((one, other) => one.action.localeCompare(other.action));
}

async function logIn(claims: object) {
  const person = subject;
  const flow = await startFlow(api.app);
  issuer.answers.token = async (nonce) =>
    tokenBody(await signToken(issuer.key, { ...claimsOf(issuer, nonce), email: "", sub: person, ...claims }));
  return callBack(api.app, honestQuery(flow, issuer.url), flow.cookie);
}

async function memberships(): Promise<unknown[]> {
  const rows = await change(
    database.db,
    `select account_id, role from memberships where user_id = (select user_id from oidc_identities where subject = $1) order by account_id`,
    [subject],
  );
  return rows.map((row) => Object.values(row as object));
}

function sorted(...pairs: [string, string][]): [string, string][] {
  return pairs.toSorted(([one], [other]) => one.localeCompare(other));
}
