import { describe, expect, test } from "vitest";
import { aUserOfTwoAccounts, origin } from "../../../../test/browser-client.ts";
import { aUser } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const name = "__Secure-postern_refresh";
const api = useTestApi({ PUBLIC_URL: origin });

test("a log-in sets the refresh token only in an HttpOnly, Secure, SameSite=Strict cookie for the auth paths", async () => {
  const { status, json, setCookie } = await logIn();
  expect(status).toBe(200);
  expect(Object.keys(json())).toEqual(["access_token", "token_type", "expires_in"]);
  expect(setCookie).toMatch(
    /^__Secure-postern_refresh=AA[A-Za-z0-9_-]{86}; Max-Age=2592000; Path=\/api\/v1\/auth; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test("a refresh uses the cookie, and sets it again only when the token is replaced", async () => {
  const { cookie } = await logIn();
  const young = await refresh({ cookie });
  expect([young.status, young.setCookie]).toEqual([200, undefined]);
  await ageTokens(100);
  const next = await refresh({ cookie });
  expect(next.status).toBe(200);
  expect(next.json().refresh_token).toBeUndefined();
  expect(next.cookie).not.toBe(cookie);
  const repeated = await refresh({ cookie });
  expect(repeated.cookie).toBe(next.cookie);
  expect((await refresh({ cookie: next.cookie })).status).toBe(200);
});

test("switching the account replaces the cookie, and needs the same Origin", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const first = withCookie(await logInAt(api, user, origin));
  const change = async (from: string) => {
    const body = { tenant_id: other, browser: true };
    const [token, headers] = [first.json().access_token, { origin: from, cookie: first.cookie }];
    return withCookie(await api.call({ method: "POST", path: "/api/v1/auth/switch", token, body, headers }));
  };
  expect((await change("https://evil.example")).status).toBe(401);
  const { status, json, cookie } = await change(origin);
  expect([status, json().refresh_token]).toEqual([200, undefined]);
  expect((await refresh({ cookie })).status).toBe(200);
});

test("a log-out ends the session and deletes the cookie", async () => {
  const { cookie, json } = await logIn();
  const { status, setCookie } = await logOut(json().access_token, { cookie, origin });
  expect([status, setCookie]).toEqual([
    200,
    `${name}=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Strict; Secure`,
  ]);
  expect((await refresh({ cookie })).status).toBe(401);
});

describe("a request from another page is refused", () => {
  const others = [
    undefined,
    "null",
    "https://postern.test.evil.example",
    "http://postern.test",
    "https://postern.test:8443",
  ];

  test.for(others)("Origin %s", async (other) => {
    const { cookie, json } = await logIn();
    const headers: Record<string, string> = other === undefined ? {} : { origin: other };
    const forged = [
      await logIn(headers),
      await refresh({ cookie, headers }),
      await logOut(json().access_token, { cookie, ...headers }),
    ];
    expect(forged.map(({ status, setCookie }) => [status, setCookie])).toEqual(new Array(3).fill([401, undefined]));
    expect((await refresh({ cookie })).status, "the session is still open").toBe(200);
  });
});

test("two cookies of this name are refused in any order, and the session stays open", async () => {
  const [own, other] = [(await logIn()).cookie, (await logIn()).cookie];
  for (const cookie of [`${own}; ${other}`, `${other}; a=b; ${own}`, `${own}; ${own}`, `${own};${name}=`]) {
    expect((await refresh({ cookie })).status, cookie).toBe(401);
  }
  expect((await refresh({ cookie: `a=b; ${own}; ${name}x=1` })).status).toBe(200);
});

test("401 without the cookie, and a cookie is no credential without `browser`", async () => {
  expect((await refresh({ cookie: "a=b" })).status).toBe(401);
  const { cookie } = await logIn();
  const { status } = await api.call({
    method: "POST",
    path: "/api/v1/auth/refresh",
    body: {},
    headers: { cookie, origin },
  });
  expect(status).toBe(422);
});

test("422 names the missing token, and a token beside `browser`", async () => {
  const problems = async (body: object) => {
    const { status, json } = await api.call({ method: "POST", path: "/api/v1/auth/refresh", body });
    return [status, json().error.details[0].field, json().error.details[0].code];
  };
  expect(await problems({})).toEqual([422, "refresh_token", "required"]);
  expect(await problems({ browser: true, refresh_token: "x" })).toEqual([422, "refresh_token", "contradiction"]);
});

describe("over http", () => {
  const local = useTestApi({ PUBLIC_URL: "http://127.0.0.1:3000" });
  const remote = useTestApi({ PUBLIC_URL: "http://mail.acme.io" });

  test("on loopback the cookie has neither Secure nor its prefix, so that every browser keeps it", async () => {
    const user = await aUser(local.database.db);
    const { status, headers } = await logInAt(local, user, "http://127.0.0.1:3000");
    expect(status).toBe(200);
    expect(headers["set-cookie"]).toMatch(
      /^postern_refresh=\S+; Max-Age=\d+; Path=\/api\/v1\/auth; HttpOnly; SameSite=Strict$/,
    );
  });

  test("elsewhere 422 explains that browser sessions need https", async () => {
    const user = await aUser(remote.database.db);
    const { status, json, headers } = await logInAt(remote, user, "http://mail.acme.io");
    expect([status, headers["set-cookie"]]).toEqual([422, undefined]);
    expect(json().error.message).toContain("https");
  });
});

type Api = typeof api;

function logInAt({ call }: Api, { email, password }: { email: string; password: string }, from: string) {
  const body = { email, password, browser: true };
  return call({ method: "POST", path: "/api/v1/auth/login", body, headers: { origin: from } });
}

async function logIn(headers: Record<string, string> = { origin }) {
  const { email, password } = await aUser(api.database.db);
  const body = { email, password, browser: true };
  return withCookie(await api.call({ method: "POST", path: "/api/v1/auth/login", body, headers }));
}

async function refresh({ cookie, headers = { origin } }: { cookie: string; headers?: Record<string, string> }) {
  const all = { ...headers, cookie };
  return withCookie(
    await api.call({ method: "POST", path: "/api/v1/auth/refresh", body: { browser: true }, headers: all }),
  );
}

async function logOut(token: string, headers: Record<string, string>) {
  return withCookie(await api.call({ method: "POST", path: "/api/v1/auth/logout", token, headers }));
}

/** The cookie as the browser sends it with the next request. */
function withCookie(answer: Awaited<ReturnType<typeof api.call>>) {
  const setCookie = answer.headers["set-cookie"] as string | undefined;
  return { ...answer, setCookie, cookie: setCookie?.split(";")[0] ?? "" };
}

async function ageTokens(seconds: number): Promise<void> {
  await api.database.db.query({
    name: "age-all-tokens",
    text: "update refresh_tokens set issued_at = issued_at - make_interval(secs => $1)",
    values: [seconds],
  });
}
