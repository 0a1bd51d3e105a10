import { afterAll, beforeAll } from "vitest";
import { anAccount } from "./builders.ts";
import {
  claimsOf,
  type ForgingIssuer,
  issuerSettings,
  signToken,
  startForgingIssuer,
  tokenBody,
} from "./forging-issuer.ts";
import { accessTokenOf, callBack, honestQuery, publicUrl, startFlow } from "./oidc-browser.ts";
import { anEnvironment } from "./test-config.ts";
import { useTestDatabase } from "./use-test-database.ts";
import { startTestApi, type TestApi } from "./with-test-apis.ts";

interface Person {
  sub: string;
  groups: string[];
  email?: string;
  email_verified?: boolean;
}

/** An API with OIDC. The groups `developers` and `readers` give roles in the account `first`, the group `others` in `second`. */
export function useOidcApi() {
  const database = useTestDatabase();
  const accounts = { first: "", second: "" };
  let running: (TestApi & { issuer: ForgingIssuer }) | undefined;

  beforeAll(async () => {
    const issuer = await startForgingIssuer();
    accounts.first = await anAccount(database.db);
    accounts.second = await anAccount(database.db);
    const settings = issuerSettings(issuer.url, accounts.first, [
      { claim: "groups", value: "developers", account: accounts.first, role: "developer" },
      { claim: "groups", value: "readers", account: accounts.first, role: "viewer" },
      { claim: "groups", value: "others", account: accounts.second, role: "viewer" },
    ]);
    const environment = anEnvironment({ PUBLIC_URL: publicUrl, ...settings });
    running = { ...(await startTestApi(database.db, environment, [])), issuer };
    // The test puts the claims into the code as well, so that log-ins at the same time do not mix.
    issuer.answers.token = async (code) => {
      const { nonce, ...person } = JSON.parse(code);
      return tokenBody(await signToken(issuer.key, { ...claimsOf(issuer, nonce), email: "", ...person }));
    };
  });
  afterAll(async () => {
    await running?.app.close();
    await running?.issuer.close();
  });

  const current = () => {
    if (running === undefined) throw new Error("the API runs only inside tests");
    return running;
  };
  return {
    database,
    accounts,
    get app() {
      return current().app;
    },
    get deps() {
      return current().deps;
    },
    /** `cookies` are those that the browser sends when it starts the log-in. */
    async logIn(person: Person, cookies = "") {
      const { app, issuer } = current();
      const flow = await startFlow(app, cookies);
      const query = new URLSearchParams(honestQuery(flow, issuer.url));
      query.set("code", JSON.stringify({ nonce: flow.nonce, ...person }));
      const { status, refreshCookie = "" } = await callBack(app, query.toString(), flow.cookie);
      return { status, cookie: refreshCookie };
    },
    tokenOf: async (cookie: string) => (await accessTokenOf(current().app, cookie)) ?? "",
    async call(method: "GET" | "POST" | "PATCH" | "DELETE", url: string, options: CallOptions = {}) {
      const { token, cookie, body } = options;
      const headers = {
        origin: publicUrl,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
      const response = await current().app.inject({ method, url: `/api/v1${url}`, headers, ...payload });
      const [setCookie = ""] = [response.headers["set-cookie"] ?? []].flat();
      return { status: response.statusCode, json: response.json(), cookie: setCookie.split(";")[0] ?? "" };
    },
  };
}

interface CallOptions {
  token?: string;
  cookie?: string;
  body?: object;
}
