import { aUser } from "./builders.ts";
import { change } from "./send-rows.ts";
import type { useTestApi } from "./use-test-api.ts";

type Api = ReturnType<typeof useTestApi>;

/** PUBLIC_URL of the test API. */
export const origin = "https://postern.test";

/** A client of the auth routes with one cookie, as a browser sends it. */
export function browserClient(api: Api) {
  const post = async (path: string, options: { cookie?: string; token?: string; body?: object }) => {
    const { cookie, token, body } = options;
    const answer = await api.call({
      method: "POST",
      path: `/api/v1/auth/${path}`,
      headers: { origin, ...(cookie === undefined ? {} : { cookie }) },
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
    });
    const setCookie = answer.headers["set-cookie"] as string | undefined;
    const json = answer.json();
    return { status: answer.status, json, setCookie, token: json.access_token, cookie: setCookie?.split(";")[0] ?? "" };
  };
  return {
    logIn: ({ email, password }: { email: string; password: string }, cookie?: string) =>
      post("login", { body: { email, password, browser: true }, ...(cookie === undefined ? {} : { cookie }) }),
    refresh: (cookie: string, body: object = {}) => post("refresh", { cookie, body: { browser: true, ...body } }),
    logOut: (token: string, cookie: string) => post("logout", { token, cookie }),
    switchTo: (tenant_id: string, token: string, cookie?: string) =>
      post("switch", { token, body: { tenant_id, browser: true }, ...(cookie === undefined ? {} : { cookie }) }),
    refreshInBody: (refresh_token: string) => post("refresh", { body: { refresh_token } }),
    /** Without `browser`, as a client that keeps the refresh token itself. */
    switchInBody: (tenant_id: string, token: string) => post("switch", { token, body: { tenant_id } }),
    isOpen: async (token: string) =>
      (await api.call({ method: "GET", path: "/api/v1/auth/sessions", token })).status === 200,
  };
}

/** A user with a second account. */
export async function aUserOfTwoAccounts(api: Api) {
  const [user, { accountId: other }] = [await aUser(api.database.db), await aUser(api.database.db)];
  await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
    user.id,
    other,
  ]);
  return { user, other };
}
