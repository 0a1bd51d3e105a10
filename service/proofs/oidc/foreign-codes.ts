import type { ApiServer } from "../../src/api/http/api-server.ts";
import { callBack, startFlow } from "../../test/oidc-browser.ts";
import type { RealIssuer } from "../../test/real-issuer.ts";

interface ForeignCode {
  name: string;
  /** Resolves to true when somebody was logged in. */
  run(): Promise<boolean>;
}

/** Codes of a real issuer that belong to another browser, client or issuer. */
export function foreignCodes({
  app,
  issuer,
  other,
}: {
  app: ApiServer;
  issuer: RealIssuer;
  other: RealIssuer;
}): ForeignCode[] {
  /** The victim's browser with the answer that an attacker got from the issuer. */
  const injected = async (answer: (location: URL) => Promise<string>, keep: string[]) => {
    const flow = await startFlow(app);
    const query = new URLSearchParams(await answer(flow.location));
    for (const name of ["state", "iss"].filter((each) => !keep.includes(each))) {
      query.set(name, name === "state" ? flow.state : issuer.url);
    }
    return (await callBack(app, query.toString(), flow.cookie)).refreshCookie !== undefined;
  };
  const attackersCode = async () => issuer.logIn((await startFlow(app)).location, "attacker");
  const ofOtherClient = (location: URL) => {
    const changed = new URL(location);
    changed.searchParams.set("client_id", issuer.otherClientId);
    return issuer.logIn(changed, "attacker");
  };
  const atOtherIssuer = (location: URL) =>
    other.logIn(new URL(location.pathname + location.search, other.url), "attacker");
  return [
    { name: "answer to the browser of an attacker", run: () => injected(attackersCode, ["state"]) },
    { name: "code of an attacker with our state", run: () => injected(attackersCode, []) },
    { name: "code of another client", run: () => injected(ofOtherClient, []) },
    { name: "answer of another issuer", run: () => injected(atOtherIssuer, ["iss"]) },
    { name: "code of another issuer as ours", run: () => injected(atOtherIssuer, []) },
    {
      name: "code used twice at the real issuer",
      async run() {
        const flow = await startFlow(app);
        const query = await issuer.logIn(flow.location, "person");
        await callBack(app, query, flow.cookie);
        return (await callBack(app, query, flow.cookie)).refreshCookie !== undefined;
      },
    },
  ];
}
