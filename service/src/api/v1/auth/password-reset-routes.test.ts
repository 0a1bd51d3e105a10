import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aLogin, aUser, usualPassword } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { aSystemAccount, mailsTo, systemSender, tokenIn } from "../../../../test/system-mail-fixture.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { invitationChores } from "../../../invitations/invitation-chores.ts";

const api = useTestApi({ SYSTEM_SENDER: systemSender, PUBLIC_URL: "https://mail.example.com" });
const password = "a long new password";

beforeAll(async () => {
  await aSystemAccount(api.database.db);
});

describe("a password reset", () => {
  test("is mailed as a link, sets the password once and ends all logins of the user", async () => {
    const user = await aLogin(api.database.db, api.deps.loginDeps);
    expect((await request(user.email)).status).toBe(202);
    const text = await mailTo(user.email);
    expect(text).toContain("https://mail.example.com/reset-password#token=");
    const token = tokenIn(text);
    const stored = await change(api.database.db, "select r::text as row from password_resets r");
    expect(JSON.stringify(stored)).not.toContain(token);
    expect((await confirm(token, "short")).status).toBe(422);
    expect((await confirm(token)).status).toBe(200);
    expect((await api.call({ method: "GET", path: "/api/v1/account", token: user.accessToken })).status).toBe(401);
    expect([(await logIn(user.email, usualPassword)).status, (await logIn(user.email, password)).status]).toEqual([
      401, 200,
    ]);
    expect((await confirm(token)).status).toBe(404);
  });

  test("of an unknown address gets the same answer and stores nothing", async () => {
    const user = await aUser(api.database.db);
    const unknown = `nobody-${randomBytes(6).toString("hex")}@example.com`;
    const answers = [await request(user.email), await request(unknown)];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await mailTo(user.email);
    expect(await change(api.database.db, "select id from sends where $1 = any(to_addresses)", [unknown])).toEqual([]);
  });

  test("of an unknown address takes as long as of a known one: the answer waits for neither user nor mail", async () => {
    const slow = { ...api.deps.resetDeps, sendMail: () => new Promise<boolean>(() => undefined) };
    const { requestPasswordReset } = await import("../../../logins/password-reset.ts");
    const user = await aUser(api.database.db);
    const started = await requestPasswordReset(api.database.db, slow, { email: user.email, address: anAddress() });
    expect(await Promise.race([started.mailing, Promise.resolve("not waited for")])).toBe("not waited for");
  });

  test("is limited to 5 an hour for an address, known or not, with 429 and Retry-After", async () => {
    for (const email of [(await aUser(api.database.db)).email, "nobody-at-all@example.com"]) {
      for (let count = 0; count < 5; count++) expect((await request(email)).status).toBe(202);
      const refused = await request(email.toUpperCase());
      expect([refused.status, Number(refused.headers["retry-after"]) > 3000]).toEqual([429, true]);
    }
  });

  test("works for one hour", async () => {
    const user = await aUser(api.database.db);
    await request(user.email);
    const token = tokenIn(await mailTo(user.email));
    const [row] = await change(
      api.database.db,
      "select extract(epoch from expires_at - created_at)::int as seconds from password_resets where user_id = $1",
      [user.id],
    );
    expect(row).toEqual({ seconds: 3600 });
    await change(api.database.db, "update password_resets set expires_at = now() where user_id = $1", [user.id]);
    expect((await confirm(token)).status).toBe(404);
  });

  test("that is used several times at once sets one password, and ends the other resets of the user", async () => {
    const user = await aUser(api.database.db);
    await request(user.email);
    await mailTo(user.email);
    await request(user.email);
    const tokens = (await mailTexts(user.email, 2)).map(tokenIn);
    const uses = await Promise.all(
      Array.from({ length: 6 }, (_, count) => confirm(tokens[count % 2] ?? "", `the new password ${count}`)),
    );
    expect(uses.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = uses.findIndex(({ status }) => status === 200);
    expect((await logIn(user.email, `the new password ${winner}`)).status).toBe(200);
    expect(await change(api.database.db, "select from password_resets where user_id = $1", [user.id])).toEqual([]);
  });

  test("leaves no login that starts at the same time with the old password", async () => {
    for (let round = 0; round < 3; round++) {
      const user = await aUser(api.database.db);
      await request(user.email);
      const token = tokenIn(await mailTo(user.email));
      await Promise.all([logIn(user.email, usualPassword), confirm(token), logIn(user.email, usualPassword)]);
      expect(await change(api.database.db, "select id from logins where user_id = $1", [user.id])).toEqual([]);
    }
  });
});

describe("with SYSTEM_SENDER an invitation", () => {
  test("is mailed, and the response does not contain the link", async () => {
    const owner = await aLogin(api.database.db, api.deps.loginDeps);
    const email = `jane-${randomBytes(6).toString("hex")}@example.com`;
    const { json } = await invite(owner.accessToken, email);
    expect(json()).toMatchObject({ mailed: true, link: null });
    expect(await mailTo(email)).toContain("https://mail.example.com/invitation#token=");
  });
});

test("chores of the worker delete expired invitations, resets and logins, and no open ones", async () => {
  const owner = await aLogin(api.database.db, api.deps.loginDeps);
  const old = await aUser(api.database.db);
  await invite(owner.accessToken, "old@example.com");
  await invite(owner.accessToken, "open@example.com");
  await change(api.database.db, "update invitations set expires_at = now() where email = 'old@example.com'");
  await change(
    api.database.db,
    `insert into password_resets (token_hash, user_id, expires_at)
     values ('\\x01', $1, now()), ('\\x02', $1, now() + interval '1 hour')`,
    [old.id],
  );
  const insert = "insert into logins (id, user_id, account_id, expires_at) values ($1, $2, $3, now())";
  await change(api.database.db, insert, [old.id, owner.id, owner.accountId]);
  for (const chore of invitationChores(api.database.db)) await chore.run();
  expect(
    await change(api.database.db, "select email from invitations where account_id = $1", [owner.accountId]),
  ).toEqual([{ email: "open@example.com" }]);
  expect(await change(api.database.db, "select from password_resets where user_id = $1", [old.id])).toHaveLength(1);
  expect(await change(api.database.db, "select id from logins where user_id = $1", [owner.id])).toEqual([
    { id: owner.loginId },
  ]);
});

function request(email: string) {
  const path = "/api/v1/auth/password-reset";
  return api.call({ method: "POST", path, body: { email }, remoteAddress: anAddress() });
}

function confirm(token: string, chosen = password) {
  const path = "/api/v1/auth/password-reset/confirm";
  return api.call({ method: "POST", path, body: { token, password: chosen }, remoteAddress: anAddress() });
}

function logIn(email: string, given: string) {
  const body = { email, password: given };
  return api.call({ method: "POST", path: "/api/v1/auth/login", body, remoteAddress: anAddress() });
}

function invite(token: string, email: string) {
  return api.call({ method: "POST", path: "/api/v1/invitations", token, body: { email, role: "viewer" } });
}

async function mailTo(email: string): Promise<string> {
  return (await mailTexts(email, 1))[0] ?? "";
}

/** The answer to a request does not wait for the mail. */
async function mailTexts(email: string, count: number): Promise<string[]> {
  const keys = { current: api.deps.acceptDeps.contentKey, second: undefined };
  await expect.poll(async () => (await mailsTo(api.database.db, keys, email)).length).toBe(count);
  return mailsTo(api.database.db, keys, email);
}

function anAddress(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}
