import type { ApiServer } from "../../src/api/http/api-server.ts";
import type { Database } from "../../src/db/database.ts";
import { aUser } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { isOpen, openBrowser, post } from "./browser.ts";
import { letTimePass } from "./faster-clock.ts";

/** A thief has an access token, and tries to get a login that lasts longer than the owner's by switching the account. */
interface Owner {
  accessToken: string;
  /** Ends the session of the owner. */
  end(): Promise<unknown>;
}

type Start = (app: ApiServer, db: Database, user: { email: string; password: string }) => Promise<Owner>;

const owners: Record<string, Start> = {
  "of a browser, log-out": async (app, _db, user) => {
    const { browser, accessToken } = await openBrowser(app, user);
    return { accessToken, end: () => post(app, "logout", {}, browser.cookie, accessToken) };
  },
  "of a client, log-out": async (app, _db, { email, password }) => {
    const { accessToken } = await post(app, "login", { email, password }, "");
    return { accessToken, end: () => post(app, "logout", {}, "", accessToken) };
  },
  "of a client, reuse of a refresh token": async (app, db, { email, password }) => {
    const { accessToken, refreshToken } = await post(app, "login", { email, password }, "");
    return {
      accessToken,
      async end() {
        const body = { refresh_token: refreshToken };
        await letTimePass(db, 100);
        await post(app, "refresh", body, "");
        await letTimePass(db, 60);
        return post(app, "refresh", body, "");
      },
    };
  },
};

/** The names of the thefts after which the thief still had a working token. */
export async function findSwitchSurvivors(
  db: Database,
  app: ApiServer,
): Promise<{ tried: number; survived: string[] }> {
  const survived: string[] = [];
  let tried = 0;
  for (const [name, start] of Object.entries(owners)) {
    for (const target of ["own", "other"] as const) {
      for (const browser of [false, true]) {
        tried++;
        const user = await aUser(db);
        const { accountId } = target === "own" ? user : await anotherAccountOf(db, user.id);
        const owner = await start(app, db, user);
        const body = { tenant_id: accountId, ...(browser ? { browser } : {}) };
        const stolen = await post(app, "switch", body, "", owner.accessToken);
        await owner.end();
        if (await isAnyUsable(app, [owner.accessToken, stolen.accessToken], stolen)) {
          survived.push(`switch to the ${target} account${browser ? " with `browser`" : ""}, token ${name}`);
        }
      }
    }
  }
  return { tried, survived };
}

async function isAnyUsable(
  app: ApiServer,
  accessTokens: string[],
  { refreshToken, cookie }: { refreshToken: string; cookie: string | undefined },
): Promise<boolean> {
  for (const token of accessTokens) if (await isOpen(app, token)) return true;
  const inBody = refreshToken === "" ? 401 : (await post(app, "refresh", { refresh_token: refreshToken }, "")).status;
  const inCookie = cookie === undefined ? 401 : (await post(app, "refresh", { browser: true }, cookie)).status;
  return inBody === 200 || inCookie === 200;
}

async function anotherAccountOf(db: Database, userId: string): Promise<{ accountId: string }> {
  const { accountId } = await aUser(db);
  await change(db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
    userId,
    accountId,
  ]);
  return { accountId };
}
