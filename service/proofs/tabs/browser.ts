import type { ApiServer } from "../../src/api/http/api-server.ts";

export const origin = "https://postern.test";

/** The tabs of one browser share its cookie. The last response to arrive sets it, whatever the order of the requests was. */
export interface Browser {
  cookie: string;
  /** Sends the cookie of this moment; `arrive` applies the response later. */
  refresh(app: ApiServer): Promise<Refreshed>;
}

export interface Refreshed {
  status: number;
  accessToken: string;
  setsCookie: boolean;
  arrive(): void;
}

export async function openBrowser(
  app: ApiServer,
  { email, password }: { email: string; password: string },
): Promise<{ browser: Browser; accessToken: string }> {
  const { status, accessToken, cookie } = await post(app, "login", { email, password, browser: true }, "");
  if (cookie === undefined) throw new Error(`the log-in of the browser was answered with ${status} and no cookie`);
  return { browser: browserWith(cookie), accessToken };
}

/** Also that of a thief who copied the cookie. */
export function browserWith(cookie: string): Browser {
  const browser: Browser = {
    cookie,
    async refresh(app) {
      const response = await post(app, "refresh", { browser: true }, browser.cookie);
      const arrive = () => {
        browser.cookie = response.cookie ?? browser.cookie;
      };
      return { ...response, setsCookie: response.cookie !== undefined, arrive };
    },
  };
  return browser;
}

export async function isOpen(app: ApiServer, accessToken: string): Promise<boolean> {
  const authorization = `Bearer ${accessToken}`;
  const { statusCode } = await app.inject({ url: "/api/v1/auth/sessions", headers: { authorization } });
  return statusCode === 200;
}

/** A POST to a route of /api/v1/auth. Without a cookie it is empty. */
export async function post(app: ApiServer, path: string, body: object, cookie: string, accessToken?: string) {
  const authorization = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  const response = await app.inject({
    method: "POST",
    url: `/api/v1/auth/${path}`,
    headers: { origin, cookie, "content-type": "application/json", ...authorization },
    payload: JSON.stringify(body),
  });
  const setCookie = response.headers["set-cookie"];
  return {
    status: response.statusCode,
    accessToken: String(response.json().access_token),
    refreshToken: String(response.json().refresh_token ?? ""),
    cookie: typeof setCookie === "string" ? setCookie.split(";")[0] : undefined,
  };
}
