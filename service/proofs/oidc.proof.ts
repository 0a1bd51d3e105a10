import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { ApiServer } from "../src/api/http/api-server.ts";
import type { Database } from "../src/db/database.ts";
import { anAccount } from "../test/builders.ts";
import { type ForgingIssuer, issuerSettings, startForgingIssuer } from "../test/forging-issuer.ts";
import { accessTokenOf, callBack, honestQuery, publicUrl, startFlow } from "../test/oidc-browser.ts";
import { type RealIssuer, startRealIssuer } from "../test/real-issuer.ts";
import { copyTemplate, openTestDatabase } from "../test/template-database.ts";
import { anEnvironment, aSecret } from "../test/test-config.ts";
import { startTestApi } from "../test/with-test-apis.ts";
import { foreignCodes } from "./oidc/foreign-codes.ts";
import { forgedCallbacks } from "./oidc/forged-callbacks.ts";
import { forgedAnswers, mappedEmail } from "./oidc/forged-id-tokens.ts";

const concurrency = 8;

export const proof: Proof = {
  promise: "No forged answer of an OIDC issuer logs anybody in, and every honest one does",
  covers: [
    "service/migrations/0041_oidc.sql",
    "service/proofs/oidc",
    "service/src/api/v1/auth/oidc-cookie.ts",
    "service/src/api/v1/auth/oidc-routes.ts",
    "service/src/logins/oidc-login-store.ts",
    "service/src/oidc",
    "service/src/oidc-settings.ts",
  ],
  size: { small: 20, full: 1000 },
  run: (size, { serverUrl, progress }) =>
    withIssuers(serverUrl, async ({ db, forging, real, signingKey }) => {
      const hostile = await runHostile(forging, signingKey, real, progress);
      const honest = await runHonest(real, size, progress);
      const [users] = await db.query<{ count: number }>({
        name: "count-oidc-users",
        text: "select count(*)::integer as count from oidc_identities where subject like 'person-%'",
      });
      return {
        figure:
          `${hostile.admitted.length} of ${hostile.tried} hostile variations logged in` +
          `${hostile.admitted.map((name) => ` [${name}]`).join("")}, ${hostile.control} of ${hostile.controls} honest ones between them; ` +
          `${honest.loggedIn} of ${size} people logged in at oidc-provider (${honest.rotations} key rotations), ${users?.count} users`,
        holds:
          hostile.tried >= 40 &&
          hostile.admitted.length === 0 &&
          hostile.control === hostile.controls &&
          honest.loggedIn === size &&
          users?.count === size,
      };
    }),
};

interface Installation {
  app: ApiServer;
  issuer: ForgingIssuer;
}

interface RealInstallation {
  app: ApiServer;
  issuer: RealIssuer;
  other: RealIssuer;
}

interface Fixture {
  db: Database;
  forging: Installation;
  real: RealInstallation;
  signingKey: string;
}

async function withIssuers<Result>(serverUrl: string, work: (fixture: Fixture) => Promise<Result>): Promise<Result> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const copy = await copyTemplate(serverUrl);
    closing.push(copy.drop);
    const db = openTestDatabase(copy.url);
    closing.push(() => db.close());
    const forger = await startForgingIssuer();
    closing.push(forger.close);
    const claims = () => ({ groups: ["mail-team"], email: "person@acme.test", email_verified: true });
    const [issuer, other] = [await startRealIssuer(claims), await startRealIssuer(claims)];
    closing.push(issuer.close, other.close);
    const signingKey = aSecret();
    const accountId = await anAccount(db);
    const common = anEnvironment({ PUBLIC_URL: publicUrl, TOKEN_SIGNING_KEY: signingKey });
    const start = async (url: string) => {
      const rule = { claim: "email", value: mappedEmail, account: accountId, role: "viewer" };
      const { app } = await startTestApi(db, { ...common, ...issuerSettings(url, accountId, [rule]) }, []);
      closing.push(() => app.close());
      return app;
    };
    const forging = { app: await start(forger.url), issuer: forger };
    const real = { app: await start(issuer.url), issuer, other };
    return await work({ db, forging, real, signingKey });
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** After every hostile answer an honest one follows: if the API refused it, refusing the others would prove nothing. */
async function runHostile(
  { app, issuer }: Installation,
  signingKey: string,
  real: RealInstallation,
  progress: ProofTools["progress"],
) {
  const admitted: string[] = [];
  let [tried, control, controls] = [0, 0, 0];
  const note = (name: string, isAdmitted: boolean) => {
    tried++;
    if (isAdmitted) admitted.push(name);
    progress(`${tried} hostile: ${name}`);
  };
  for (const { name, answers } of await forgedAnswers(issuer)) {
    issuer.answers = { ...issuer.honest, ...answers };
    note(name, await isLoggedIn(app, issuer));
    issuer.answers = { ...issuer.honest };
    controls++;
    if (await isLoggedIn(app, issuer)) control++;
  }
  for (const { name, run } of forgedCallbacks(issuer.url, signingKey)) note(name, await run(app));
  for (const { name, run } of foreignCodes(real)) note(name, await run());
  return { admitted, tried, control, controls };
}

async function isLoggedIn(app: ApiServer, issuer: ForgingIssuer): Promise<boolean> {
  const flow = await startFlow(app);
  return (await callBack(app, honestQuery(flow, issuer.url), flow.cookie)).refreshCookie !== undefined;
}

async function runHonest({ app, issuer }: RealInstallation, size: number, progress: ProofTools["progress"]) {
  let [next, loggedIn, rotations] = [0, 0, 0];
  const rotateEvery = Math.ceil(size / 5);
  const people = async () => {
    while (next < size) {
      const number = next++;
      if (await logInAtIssuer(app, issuer, `person-${number}`)) loggedIn++;
      progress(`${number + 1} of ${size} people, ${loggedIn} logged in`);
    }
  };
  for (let until = rotateEvery; next < size; until += rotateEvery) {
    const batch = size;
    size = Math.min(until, batch);
    await Promise.all(Array.from({ length: concurrency }, people));
    size = batch;
    if (next < size) {
      await issuer.rotateKeys();
      rotations++;
    }
  }
  return { loggedIn, rotations };
}

async function logInAtIssuer(app: ApiServer, issuer: RealIssuer, subject: string): Promise<boolean> {
  const { location, cookie } = await startFlow(app);
  const { refreshCookie } = await callBack(app, await issuer.logIn(location, subject), cookie);
  return (await accessTokenOf(app, refreshCookie)) !== undefined;
}
