import { createPublicKey, randomInt } from "node:crypto";
import { request } from "node:http";
import { decodeJwt } from "jose";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { systemActor } from "../src/actor.ts";
import type { ApiServer } from "../src/api/http/api-server.ts";
import type { Database } from "../src/db/database.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { endSessions } from "../src/logins/session-store.ts";
import { aLogin } from "../test/builders.ts";
import { aSecret } from "../test/test-config.ts";
import { type TestApi, withTestApis } from "../test/with-test-apis.ts";
import { controlToken, type Forgery, forgedTokens } from "./forgery/forged-tokens.ts";

const [older, newer] = [aSecret("k1"), aSecret("k2")];

/** `before` and `after` are two processes during a rotation; `done` no longer has the older key. */
const rotation = {
  before: { TOKEN_SIGNING_KEY: older, TOKEN_SIGNING_KEY_SECOND: newer },
  after: { TOKEN_SIGNING_KEY: newer, TOKEN_SIGNING_KEY_SECOND: older },
  done: { TOKEN_SIGNING_KEY: newer },
};

export const proof: Proof = {
  promise: "No forged or malformed access token is accepted, and a key rotation refuses no valid one",
  covers: [
    "service/proofs/forgery/forged-tokens.ts",
    "service/src/api/auth",
    "service/src/config.ts",
    "service/src/crypto/token-subkey.ts",
    "service/src/logins",
  ],
  size: { small: 60, full: 5000 },
  run: (size, { serverUrl, progress }) =>
    withTestApis(serverUrl, rotation, async ({ db, apis: { before, after, done } }) => {
      const { forgeries, control } = await makeForgeries(db, before.deps.loginDeps);
      const controlStatus = await statusOf(before.app, control);
      const accepted = await findAccepted([before, after], forgeries, progress);
      const acceptedFlips = await countAcceptedFlips(before.app, control, size, progress);
      const refused = await countRefusedValid(db, [before, after], size, progress);
      const rotatedOut = await statusOf(done.app, control);
      return {
        figure:
          `${accepted.length} of ${forgeries.length} forged accepted${accepted.map((name) => ` [${name}]`).join("")}, ` +
          `${acceptedFlips} of ${size} changed by one bit accepted, ${refused} of ${size} valid refused during rotation, ` +
          `rotated-out key answered with ${rotatedOut}`,
        holds:
          controlStatus === 200 &&
          forgeries.length >= 60 &&
          accepted.length + acceptedFlips + refused === 0 &&
          rotatedOut === 401,
      };
    }),
};

/** The control token is genuine and comes from the same code: if the API refused it, refusing the others would prove nothing. */
async function makeForgeries(db: Database, loginDeps: LoginDeps): Promise<{ forgeries: Forgery[]; control: string }> {
  const [mine, other, ended] = [await aLogin(db, loginDeps), await aLogin(db, loginDeps), await aLogin(db, loginDeps)];
  await endSessions(db, [ended.loginId], { action: "log-out", actor: systemActor });
  const { privateKey, kid } = loginDeps.authority.signing;
  const material = {
    genuineKey: privateKey,
    publicKey: createPublicKey(privateKey),
    kid,
    claims: decodeJwt(mine.accessToken),
    otherClaims: decodeJwt(other.accessToken),
    endedLoginId: ended.loginId,
  };
  return { forgeries: forgedTokens(material), control: controlToken(material) };
}

async function findAccepted(apis: TestApi[], forgeries: Forgery[], progress: ProofTools["progress"]) {
  const addresses = await Promise.all(apis.map(({ app }) => app.listen({ port: 0, host: "127.0.0.1" })));
  const accepted: string[] = [];
  for (const { name, token } of forgeries) {
    const statuses = await Promise.all(addresses.map((address) => statusOver(address, token)));
    progress(`forged: ${name}: ${statuses.join(", ")}`);
    if (statuses.some((status) => status !== 401 && status !== 431)) accepted.push(name);
  }
  return accepted;
}

async function countAcceptedFlips(app: ApiServer, token: string, size: number, progress: ProofTools["progress"]) {
  let accepted = 0;
  for (let tries = 1; tries <= size; tries++) {
    if ((await statusOf(app, flipOneBit(token))) !== 401) accepted++;
    progress(`changed by one bit: ${tries} of ${size}`);
  }
  return accepted;
}

async function countRefusedValid(db: Database, apis: TestApi[], size: number, progress: ProofTools["progress"]) {
  let refused = 0;
  for (let tries = 1; tries <= size; tries++) {
    const issuer = apis[tries % apis.length];
    if (issuer === undefined) throw new Error("a rotation needs two servers");
    const { accessToken } = await aLogin(db, issuer.deps.loginDeps);
    const statuses = await Promise.all(apis.map(({ app }) => statusOf(app, accessToken)));
    if (statuses.some((status) => status !== 200)) refused++;
    progress(`valid during rotation: ${tries} of ${size}`);
  }
  return refused;
}

async function statusOf(app: ApiServer, token: string): Promise<number> {
  const { statusCode } = await app.inject({ url: "/api/v1/api-keys", headers: { authorization: `Bearer ${token}` } });
  return statusCode;
}

/** Over a real connection, because the HTTP parser rejects some of these tokens. */
function statusOver(address: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(`${address}/api/v1/api-keys`, { agent: false, headers: { authorization: `Bearer ${token}` } });
    call.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end();
  });
}

function flipOneBit(token: string): string {
  for (;;) {
    const bytes = Buffer.from(token);
    const position = randomInt(bytes.length);
    bytes[position] = (bytes[position] ?? 0) ^ (1 << randomInt(7));
    const changed = bytes.toString("latin1");
    // A header cannot contain control characters or spaces, so such a change would prove nothing.
    if (/^[\x21-\x7e]+$/.test(changed)) return changed;
  }
}
