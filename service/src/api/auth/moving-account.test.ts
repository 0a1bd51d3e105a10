import { describe, expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../../test/builders.ts";
import { newHome } from "../../../test/move-builders.ts";
import { endMove, moveIn, moveOut } from "../../../test/moving-account.ts";
import { change } from "../../../test/send-rows.ts";
import { useSendingApi } from "../../../test/use-sending-api.ts";
import { suspendAccount } from "../../accounts/account-store.ts";
import { findSuspensions } from "../../accounts/suspension.ts";

const { api, send, countSends } = useSendingApi();

type Answer = Awaited<ReturnType<typeof api.call>>;

const moving = [503, "5", "UNAVAILABLE", "This account is moving to another cell. Try again in a few seconds."];
const movedKey = [503, "5", "UNAVAILABLE", `This account has moved to ${newHome}. Send the request there.`];
const movedLogin = [401, undefined, "UNAUTHORIZED", `This account has moved to ${newHome}. Log in there.`];

function shownIn({ status, headers, json }: Answer) {
  return [status, headers["retry-after"], json().error.code, json().error.message];
}

async function aPerson() {
  const person = await aLogin(api.database.db, api.deps.loginDeps);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, person.accountId, {
    type: "test",
    scopes: ["send", "read"],
  });
  return { ...person, key, from: "shop@sandbox.test" };
}

type Person = Awaited<ReturnType<typeof aPerson>>;

function callsWithKey({ key, from }: Person) {
  const mail = { from, to: ["jane@example.io"], subject: "Hello", text: "Hi" };
  const post = (path: string, body: object) => api.call({ method: "POST", path, key, body });
  return [
    () => post("/api/v1/send", mail),
    // A large body: its key is checked before the body is read.
    () => post("/api/v1/send", { ...mail, text: "x".repeat(100_000) }),
    () => post("/api/v1/send/batch", { mails: [mail, mail] }),
    () => post("/api/v1/send/validate", mail),
    () => post("/api/v1/send/cancel", { idempotency_key: "a" }),
    () => api.call({ method: "GET", path: "/api/v1/sends", key }),
    () => api.call({ method: "GET", path: "/api/v1/sends/export", key }),
    () => api.call({ method: "GET", path: "/api/v1/account", key }),
  ];
}

function callsWithToken({ accessToken, refreshToken, email, password }: Person) {
  const post = (path: string, body: object) => api.call({ method: "POST", path, body });
  return [
    () => api.call({ method: "GET", path: "/api/v1/domains", token: accessToken }),
    () => post("/api/v1/auth/refresh", { refresh_token: refreshToken }),
    () => post("/api/v1/auth/login", { email, password }),
  ];
}

async function answersOf(calls: (() => Promise<Answer>)[]) {
  const answers = [];
  for (const call of calls) answers.push(shownIn(await call()));
  return answers;
}

describe("an account that moves", () => {
  test.each(["held", "frozen", "unknown"] as const)("is 503 with Retry-After while it is %s", async (state) => {
    const person = await aPerson();
    const calls = [...callsWithKey(person), ...callsWithToken(person)];
    // The process remembers the key: the accept statement refuses it.
    expect((await send(person)).status).toBe(202);
    await moveOut(api.database.db, person.accountId, state);
    expect(await answersOf(calls)).toEqual(calls.map(() => moving));
    expect(await countSends(person.accountId)).toBe(1);
  });

  test("is 503 in the target until the move is released there, and then works", async () => {
    const person = await aPerson();
    const calls = [...callsWithKey(person), ...callsWithToken(person)];
    await moveIn(api.database.db, person.accountId, "copying");
    expect(await answersOf(calls)).toEqual(calls.map(() => moving));
    await moveIn(api.database.db, person.accountId, "released");
    expect((await send(person)).status).toBe(202);
  });

  test("works as always while it is copied ahead, and after the hold ended", async () => {
    const person = await aPerson();
    for (const state of ["copying", "held"] as const) await moveOut(api.database.db, person.accountId, state);
    await endMove(api.database.db, person.accountId);
    await moveOut(api.database.db, person.accountId, "copying");
    for (const call of callsWithToken(person)) expect((await call()).status).toBe(200);
    expect((await send(person)).status).toBe(202);
  });

  test("is suspended if the operator suspended it before", async () => {
    const { accountId, key } = await aPerson();
    await moveOut(api.database.db, accountId, "copying");
    await suspendAccount(api.database.db, accountId);
    const answer = await api.call({ method: "GET", path: "/api/v1/account", key });
    expect([answer.status, answer.json().error.message]).toEqual([401, expect.stringMatching(/suspended/)]);
  });

  test("that comes back is on its way, although it moved out before", async () => {
    const { accountId, key } = await aPerson();
    await moveOut(api.database.db, accountId, "released");
    await change(
      api.database.db,
      `insert into incoming_moves (account_id, move_id, run_id, source_url, source_cell) values ($1, gen_random_uuid(), gen_random_uuid(), $2, 'BB')`,
      [accountId, newHome],
    );
    expect(shownIn(await api.call({ method: "GET", path: "/api/v1/account", key }))).toEqual(moving);
  });
});

describe("an account that has moved", () => {
  test("is 503 for keys, which work in the other cell, and 401 for logins, which do not", async () => {
    const person = await aPerson();
    await moveOut(api.database.db, person.accountId, "released");
    const [withKey, withToken] = [callsWithKey(person), callsWithToken(person)];
    expect(await answersOf(withKey)).toEqual(withKey.map(() => movedKey));
    expect(await answersOf(withToken)).toEqual(withToken.map(() => movedLogin));
  });

  test("is named only to somebody with the password, and a wrong one is no error of the server", async () => {
    const person = await aPerson();
    await moveOut(api.database.db, person.accountId, "released");
    const [wrong, unknown] = [
      await logIn({ ...person, password: "wrong" }),
      await logIn({ email: "nobody@example.com", password: "wrong" }),
    ];
    expect(shownIn(wrong)).toEqual(shownIn(unknown));
  });

  test("is left aside by a log-in and a switch of a person with another account", async () => {
    const person = await aPerson();
    const other = await anAccount(api.database.db);
    await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
      person.id,
      other,
    ]);
    await moveOut(api.database.db, person.accountId, "held");
    const login = await logIn(person);
    const token: string = login.json().access_token;
    const me = await api.call({ method: "GET", path: "/api/v1/auth/me", token });
    expect([login.status, me.json().tenant_id]).toEqual([200, other]);
    expect(shownIn(await switchTo(token, person.accountId))).toEqual(moving);
    await moveOut(api.database.db, person.accountId, "released");
    expect(shownIn(await switchTo(token, person.accountId))).toEqual(movedLogin);
  });
});

test("a change that began before the hold is 503 when it meets the move", async () => {
  const { accountId, accessToken } = await aPerson();
  await change(
    api.database.db,
    "insert into outgoing_moves (account_id, move_id, state, target_url, target_cell, held_at) values ($1, gen_random_uuid(), 'held', $2, 'BB', now())",
    [accountId, newHome],
  );
  const body = { name: "Late", type: "test" };
  const answer = await api.call({ method: "POST", path: "/api/v1/api-keys", token: accessToken, body });
  expect(shownIn(answer)).toEqual([503, "5", "UNAVAILABLE", expect.stringMatching(/^This account is moving/)]);
});

test("an account that was resumed after its credential was refused is 503, so that the request is repeated", async () => {
  const accountId = await anAccount(api.database.db);
  expect(await findSuspensions(api.database.db, [accountId, crypto.randomUUID()])).toEqual([
    { kind: "resumed" },
    { kind: "suspended" },
  ]);
});

function logIn({ email, password }: { email: string; password: string }) {
  return api.call({ method: "POST", path: "/api/v1/auth/login", body: { email, password } });
}

function switchTo(token: string, accountId: string) {
  return api.call({ method: "POST", path: "/api/v1/auth/switch", token, body: { tenant_id: accountId } });
}
