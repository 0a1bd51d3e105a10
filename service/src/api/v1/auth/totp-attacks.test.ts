import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aUser } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { aTotpUser, logInWith, post, type TotpUser } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { systemActor } from "../../../actor.ts";
import { removeTotp } from "../../../logins/totp-store.ts";

const api = useTestApi();

describe("a log-in by a process of the release before, which knows no TOTP", () => {
  test("is refused for a user with TOTP and works for others", async () => {
    const [user, plain] = [await aTotpUser(api), await aUser(api.database.db)];
    expect([await logInOfOldRelease(user.id), await logInOfOldRelease(plain.id)]).toEqual([0, 1]);
  });
});

describe("guessing codes with the right password", () => {
  test("ends after 50 wrong codes in a week, also after a crash of the server; a recovery code still works", async () => {
    const user = await aTotpUser(api);
    await guess(user, 1);
    await change(api.database.db, "update code_attempts set attempts = 49 where user_id = $1 and purpose = 'log-in'", [
      user.id,
    ]);
    await guess(user, 1);
    await forgetShortCount();
    const { status, headers, json } = await logInWith(api, user, { totp_code: user.app.code(1) });
    expect([status, json().error.message]).toEqual([429, expect.stringContaining("recovery_code")]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(6 * 24 * 3600);
    expect((await logInWith(api, user, { recovery_code: user.recoveryCodes[0] })).status).toBe(200);
  });

  test("counts in the week only codes that were checked, so that requests in a row do not lock the user out", async () => {
    const user = await aTotpUser(api);
    await guess(user, 9);
    expect(await wrongCodesOf(user)).toEqual([{ attempts: 5 }]);
  });

  test("right codes do not count, and do not take back wrong ones", async () => {
    const user = await aTotpUser(api);
    await guess(user, 4);
    await logInWith(api, user, { totp_code: user.app.code(1) });
    expect(await wrongCodesOf(user)).toEqual([{ attempts: 4 }]);
  });

  test("disabling TOTP for the user ends the count", async () => {
    const user = await aTotpUser(api);
    await guess(user, 3);
    await api.database.db.withTransaction((tx) => removeTotp(tx, user.id, systemActor));
    expect(await change(api.database.db, "select from code_attempts where user_id = $1", [user.id])).toEqual([]);
  });
});

test("wrong codes in a session, without the password, do not stop the owner's log-in", async () => {
  const user = await aTotpUser(api);
  for (let tries = 0; tries < 6; tries++) await post(api, user, "totp/recovery-codes", { recovery_code: "wrong" });
  expect((await post(api, user, "totp/recovery-codes", { totp_code: user.app.code(1) })).status).toBe(429);
  expect((await logInWith(api, user, { totp_code: user.app.code(1) })).status).toBe(200);
});

test("of two renewals at once, the recovery codes of one stay valid", async () => {
  for (let round = 0; round < 5; round++) {
    const user = await aTotpUser(api);
    const bodies = [{ totp_code: user.app.code(1) }, { recovery_code: user.recoveryCodes[0] }];
    await Promise.all(bodies.map((body) => post(api, user, "totp/recovery-codes", body)));
    const rows = await change(api.database.db, "select from recovery_codes where user_id = $1", [user.id]);
    expect(rows).toHaveLength(10);
  }
});

test("401 for an owner who lifts the requirement of TOTP without a code, and 200 with one", async () => {
  const user = await aTotpUser(api, { role: "owner" });
  const lift = (body: object) =>
    api.call({
      method: "PATCH",
      path: "/api/v1/account",
      token: user.accessToken,
      body: { totp_required: false, ...body },
    });
  const require = { method: "PATCH", path: "/api/v1/account", body: { totp_required: true } } as const;
  expect((await api.call({ ...require, token: user.accessToken })).status).toBe(200);
  expect((await lift({})).status).toBe(401);
  expect((await lift({ recovery_code: "wrong" })).status).toBe(401);
  expect((await lift({ totp_code: user.app.code(1) })).status).toBe(200);
  expect((await lift({ totp_code: user.app.code(1) })).status, "a code counts once").toBe(401);
});

/** From different addresses. The count of 15 minutes starts again before every round. */
async function guess(user: TotpUser, times: number): Promise<void> {
  await forgetShortCount();
  for (let tries = 0; tries < times; tries++) await logInWith(api, user, { totp_code: user.app.code(50 + tries) });
}

function wrongCodesOf({ id }: TotpUser) {
  const text = "select attempts from code_attempts where user_id = $1 and purpose = 'log-in'";
  return change(api.database.db, text, [id]);
}

/** As a crash does: the table is unlogged. */
async function forgetShortCount(): Promise<void> {
  await change(api.database.db, "delete from login_attempts", []);
}

async function logInOfOldRelease(userId: string): Promise<number> {
  const rows = await change(
    api.database.db,
    `with unchanged as materialized (select id from users where id = $2 for share),
      login as (
        insert into logins (id, user_id, expires_at)
        select $1, id, now() + interval '30 days' from unchanged
        returning id
      )
    insert into refresh_tokens (login_id, nonce) select id, '\\x00' from login returning login_id`,
    [randomUUIDv7(), userId],
  );
  return rows.length;
}
