import type { ApiServer } from "../../src/api/http/api-server.ts";
import type { Database } from "../../src/db/database.ts";
import { aUser } from "../../test/builders.ts";
import { type Browser, browserWith, isOpen, openBrowser } from "./browser.ts";
import { letTimePass } from "./faster-clock.ts";

/** A refresh token of a session in use, which a thief copies and uses before or after its owner. */
interface Theft {
  app: ApiServer;
  owner: Browser;
  thief: Browser;
  pass(seconds: number): Promise<void>;
}

const tokenLifeSeconds = 15 * 60;

/** Each ends when the last of the two has refreshed. The session must have ended then, for both. */
const thefts: Record<string, (theft: Theft) => Promise<unknown>> = {
  "used within 30 s, then by the owner first": async ({ app, owner, thief, pass }) => {
    await refresh(owner, app);
    await pass(20);
    await refresh(thief, app);
    await pass(tokenLifeSeconds);
    await refresh(owner, app);
    await pass(60);
    return refresh(thief, app);
  },
  "used within 30 s, then by the thief first": async ({ app, owner, thief, pass }) => {
    await refresh(owner, app);
    await pass(20);
    await refresh(thief, app);
    await pass(tokenLifeSeconds - 60);
    await refresh(thief, app);
    await pass(60);
    return refresh(owner, app);
  },
  "used within 30 s before the owner": async ({ app, owner, thief, pass }) => {
    await refresh(thief, app);
    await pass(20);
    await refresh(owner, app);
    await pass(tokenLifeSeconds);
    await refresh(owner, app);
    await pass(31);
    return refresh(thief, app);
  },
  "used after 30 s": async ({ app, owner, thief, pass }) => {
    await refresh(owner, app);
    await pass(31);
    return refresh(thief, app);
  },
  "used more than 30 s before the owner": async ({ app, owner, thief, pass }) => {
    await refresh(thief, app);
    await pass(31);
    return refresh(owner, app);
  },
};

/** The names of the thefts after which a token of either side still worked. */
export async function findSurvivors(db: Database, app: ApiServer): Promise<{ tried: number; survived: string[] }> {
  const survived: string[] = [];
  for (const [name, commit] of Object.entries(thefts)) {
    const user = await aUser(db);
    const { browser: owner, accessToken } = await openBrowser(app, user);
    const loginId = await loginOf(db, user.id);
    const pass = (seconds: number) => letTimePass(db, seconds, loginId);
    await pass(tokenLifeSeconds);
    const thief = browserWith(owner.cookie);
    await commit({ app, owner, thief, pass });
    // First: a refresh would end a session that the theft left open.
    const wasOpen = await isOpen(app, accessToken);
    const statuses = [(await owner.refresh(app)).status, (await thief.refresh(app)).status];
    if (wasOpen || statuses.includes(200)) survived.push(name);
  }
  return { tried: Object.keys(thefts).length, survived };
}

async function refresh(browser: Browser, app: ApiServer): Promise<void> {
  (await browser.refresh(app)).arrive();
}

async function loginOf(db: Database, userId: string): Promise<string> {
  const [row] = await db.query<{ id: string }>({
    name: "login-of-user",
    text: "select id from logins where user_id = $1",
    values: [userId],
  });
  if (row === undefined) throw new Error("the user has no login");
  return row.id;
}
