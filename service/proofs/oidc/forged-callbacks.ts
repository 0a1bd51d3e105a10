import type { ApiServer } from "../../src/api/http/api-server.ts";
import { createFlowMaker } from "../../src/oidc/flow.ts";
import { secret } from "../../src/secret.ts";
import { callBack, honestQuery, startFlow } from "../../test/oidc-browser.ts";
import { aSecret } from "../../test/test-config.ts";

export interface ForgedCallback {
  name: string;
  /** Resolves to true when somebody was logged in. */
  run(app: ApiServer): Promise<boolean>;
}

type Parts = { query: URLSearchParams; cookie: string };

/** `signingKey` is TOKEN_SIGNING_KEY of the installation. */
export function forgedCallbacks(issuerUrl: string, signingKey: string): ForgedCallback[] {
  const cookieName = "__Host-postern_oidc";
  const change = (name: string, make: (parts: Parts, app: ApiServer) => Promise<void> | void): ForgedCallback => ({
    name,
    async run(app) {
      const flow = await startFlow(app);
      const parts = { query: new URLSearchParams(honestQuery(flow, issuerUrl)), cookie: flow.cookie };
      await make(parts, app);
      return (await callBack(app, parts.query.toString(), parts.cookie)).refreshCookie !== undefined;
    },
  });
  const madeBy = (key: string, nowSeconds: () => number) =>
    `${cookieName}=${createFlowMaker({ current: secret.parse(key), second: undefined }, nowSeconds).start([]).cookie}`;
  const seconds = (offset: number) => () => Math.floor(Date.now() / 1000) + offset;
  const cookie = (make: (own: string) => string) => (parts: Parts) => {
    parts.cookie = make(parts.cookie);
  };
  const set = (name: string, value: string) => (parts: Parts) => parts.query.set(name, value);
  const drop = (name: string) => (parts: Parts) => parts.query.delete(name);
  const repeat = (name: string) => (parts: Parts) => parts.query.append(name, parts.query.get(name) ?? "");
  return [
    change("no state", drop("state")),
    change("empty state", set("state", "")),
    change("another state", set("state", "A".repeat(43))),
    change("state twice", repeat("state")),
    change("no code", drop("code")),
    change("code twice", repeat("code")),
    change("no iss, though the issuer announces it", drop("iss")),
    change("iss of another issuer", set("iss", "https://login.example.com")),
    change("iss with a slash", set("iss", `${issuerUrl}/`)),
    change("iss twice", repeat("iss")),
    change("error beside the code", set("error", "access_denied")),
    change("ID token in the address", set("id_token", "a.b.c")),
    change("JWT response in the address", set("response", "a.b.c")),
    change(
      "no cookie",
      cookie(() => ""),
    ),
    change(
      "empty cookie",
      cookie(() => `${cookieName}=`),
    ),
    change(
      "cookie twice",
      cookie((own) => `${own}; ${own}`),
    ),
    change(
      "cookie without its prefix",
      cookie((own) => own.replace("__Host-", "")),
    ),
    change(
      "cookie changed",
      cookie((own) => flipLast(own)),
    ),
    change("cookie of another browser", async (parts, app) => {
      parts.cookie = (await startFlow(app)).cookie;
    }),
    change("state of another browser", async (parts, app) => parts.query.set("state", (await startFlow(app)).state)),
    change("code of another browser", async (parts, app) => parts.query.set("code", (await startFlow(app)).nonce)),
    change(
      "cookie of another installation",
      cookie(() => madeBy(aSecret(), seconds(0))),
    ),
    change(
      "cookie of eleven minutes ago",
      withOwnState(madeBy(signingKey, seconds(-660)), signingKey, issuerUrl, -660),
    ),
    change("cookie from the future", withOwnState(madeBy(signingKey, seconds(660)), signingKey, issuerUrl, 660)),
    {
      name: "the same callback a second time, also at an issuer that accepts codes twice",
      async run(app) {
        const flow = await startFlow(app);
        const query = honestQuery(flow, issuerUrl);
        const first = await callBack(app, query, flow.cookie);
        if (first.refreshCookie === undefined) throw new Error("the first use of the callback was refused");
        return (await callBack(app, query, flow.cookie)).refreshCookie !== undefined;
      },
    },
    {
      name: "the same callback eight times at once: more than one log-in",
      async run(app) {
        const flow = await startFlow(app);
        const query = honestQuery(flow, issuerUrl);
        const all = await Promise.all(Array.from({ length: 8 }, () => callBack(app, query, flow.cookie)));
        return all.filter(({ refreshCookie }) => refreshCookie !== undefined).length !== 1;
      },
    },
  ];
}

/** Everything fits except the age: the state and the nonce are those of the cookie. */
function withOwnState(cookie: string, signingKey: string, issuerUrl: string, offset: number) {
  const value = cookie.split("=")[1] ?? "";
  const maker = createFlowMaker(
    { current: secret.parse(signingKey), second: undefined },
    () => Math.floor(Date.now() / 1000) + offset,
  );
  const flow = maker.resume(value);
  if (flow === undefined) throw new Error("the cookie is not valid at its own time");
  return (parts: Parts) => {
    parts.cookie = cookie;
    parts.query = new URLSearchParams({ code: flow.nonce, state: flow.state, iss: issuerUrl });
  };
}

function flipLast(cookie: string): string {
  const at = cookie.length - 10;
  return `${cookie.slice(0, at)}${cookie[at] === "A" ? "B" : "A"}${cookie.slice(at + 1)}`;
}
