import type { ApiServer } from "../src/api/http/api-server.ts";

export const publicUrl = "https://postern.test";
const callbackPath = "/api/v1/auth/oidc/callback";

/** A log-in that a browser has started and the issuer has not answered yet. */
export interface StartedFlow {
  /** Of the state, as the browser sends it. */
  cookie: string;
  /** The page of the issuer that the browser is sent to. */
  location: URL;
  state: string;
  nonce: string;
}

export interface Callback {
  status: number;
  text: string;
  location: string | undefined;
  /** Every cookie that the response sets. */
  setCookies: string[];
  /** The refresh cookie as the browser sends it; undefined when nobody was logged in. */
  refreshCookie: string | undefined;
}

/** `cookies` are those of the browser that starts it. */
export async function startFlow(app: ApiServer, cookies = ""): Promise<StartedFlow> {
  const { statusCode, headers, body } = await app.inject({
    url: "/api/v1/auth/oidc/start",
    headers: { cookie: cookies },
  });
  if (statusCode !== 302) throw new Error(`the start of the log-in was answered with ${statusCode}: ${body}`);
  const location = new URL(String(headers.location));
  const [cookie = ""] = String(headers["set-cookie"]).split(";");
  const param = (name: string) => location.searchParams.get(name) ?? "";
  return { cookie, location, state: param("state"), nonce: param("nonce") };
}

let browsers = 0;

/** Each browser has an address of its own unless the test gives one: failures of one address are limited. */
export async function callBack(
  app: ApiServer,
  query: string,
  cookie: string,
  remoteAddress = `10.0.${Math.floor(browsers / 256) % 256}.${browsers++ % 256}`,
): Promise<Callback> {
  const headers = { cookie, accept: "text/html", "user-agent": "a browser for tests" };
  const response = await app.inject({ url: `${callbackPath}?${query}`, headers, remoteAddress });
  const setCookies = [response.headers["set-cookie"] ?? []].flat();
  const refresh = setCookies.find((each) => each.includes("postern_refresh=") && !each.includes("Max-Age=0"));
  return {
    status: response.statusCode,
    text: response.body,
    location: response.headers.location,
    setCookies,
    refreshCookie: refresh?.split(";")[0],
  };
}

/** The query with which the forging issuer would send the browser back. */
export function honestQuery({ state, nonce }: StartedFlow, issuerUrl: string): string {
  return new URLSearchParams({ code: nonce, state, iss: issuerUrl }).toString();
}

/** The access token of the browser's session; undefined when the cookie opens none. */
export async function accessTokenOf(app: ApiServer, refreshCookie: string | undefined): Promise<string | undefined> {
  if (refreshCookie === undefined) return undefined;
  const response = await app.inject({
    method: "POST",
    url: "/api/v1/auth/refresh",
    headers: { origin: publicUrl, cookie: refreshCookie, "content-type": "application/json" },
    payload: JSON.stringify({ browser: true }),
  });
  return response.statusCode === 200 ? String(response.json().access_token) : undefined;
}
