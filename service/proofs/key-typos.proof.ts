import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { authenticate } from "../src/api/auth/authenticate.ts";
import { createCredentialLookup } from "../src/api/auth/credential-lookup.ts";
import { generateApiKey } from "../src/api-keys/api-key.ts";
import type { Database, Statement } from "../src/db/database.ts";
import { AppError } from "../src/errors.ts";
import { aLogin } from "../test/builders.ts";
import { type TestApi, withTestApis } from "../test/with-test-apis.ts";
import { readAllRows } from "./leaks/all-rows.ts";

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

export const proof: Proof = {
  promise:
    "Every single-character typo in an API key is refused without a query, and no full key is stored, logged or answered",
  covers: [
    "service/proofs/leaks/all-rows.ts",
    "service/src/api-keys",
    "service/src/api/auth",
    "service/src/api/v1/api-keys",
    "service/src/log.ts",
  ],
  size: { small: 2, full: 200 },
  run: (size, { serverUrl, progress }) =>
    withTestApis(serverUrl, { api: {} }, async ({ db, apis: { api }, logLines }) => {
      const typos = await tryTypos(api, size, progress);
      const leaks = await findLeaks(db, api, logLines, progress);
      return {
        figure:
          `${typos.accepted} of ${typos.tried} typos in ${size} keys accepted, ${typos.queries} queries; ` +
          `${leaks.found.length} of ${leaks.keys} keys found in ${leaks.texts} rows, log lines and answers`,
        holds: typos.accepted + typos.queries + leaks.found.length === 0 && typos.controlQueries === size,
      };
    }),
};

/** Uses the authentication function of all routes. The correct key causes one query, which shows that the counter works. */
async function tryTypos({ deps }: TestApi, size: number, progress: ProofTools["progress"]) {
  let queries = 0;
  const db = {
    ...deps.authenticator.db,
    query: (_statement: Statement) => {
      queries++;
      return Promise.resolve([]);
    },
  };
  const refused = async (key: string, header: "x-api-key" | "authorization" = "x-api-key") =>
    authenticate(
      { ...deps.authenticator, db, lookup: createCredentialLookup(db) },
      { [header]: header === "authorization" ? `Bearer ${key}` : key },
      { key: "any", role: "viewer" },
    ).then(
      () => false,
      (error) => error instanceof AppError && error.code === "UNAUTHORIZED",
    );
  const result = { tried: 0, accepted: 0, queries: 0, controlQueries: 0 };
  for (let made = 1; made <= size; made++) {
    const { key } = generateApiKey(made % 2 === 0 ? "live" : "test", "AA");
    for (const typo of typosOf(key)) {
      result.tried++;
      // More spaces after Bearer are no typo.
      const isForBearer = result.tried % 2 === 0 && !typo.startsWith(" ");
      if (!(await refused(typo, isForBearer ? "authorization" : "x-api-key"))) result.accepted++;
    }
    result.queries += queries;
    queries = 0;
    await refused(key);
    result.controlQueries += queries;
    queries = 0;
    progress(`typos in ${made} of ${size} keys`);
  }
  return result;
}

/** One character replaced, removed, inserted, or swapped with its neighbour. */
function* typosOf(key: string): Generator<string> {
  for (let at = 0; at <= key.length; at++) {
    const [head, tail] = [key.slice(0, at), key.slice(at)];
    for (const letter of printable) {
      yield head + letter + tail;
      if (at < key.length && letter !== key[at]) yield head + letter + tail.slice(1);
    }
    if (at < key.length) yield head + tail.slice(1);
    const [first, second] = [tail[0], tail[1]];
    if (second !== undefined && first !== second) yield head + second + first + tail.slice(2);
  }
}

/** Creates, uses and revokes keys at debug level, then searches for them in all rows, log lines and answers. */
async function findLeaks(db: Database, { app, deps }: TestApi, logLines: string[], progress: ProofTools["progress"]) {
  const { accessToken } = await aLogin(db, deps.loginDeps);
  const token = { authorization: `Bearer ${accessToken}` };
  const keys: string[] = [];
  const answers: string[] = [];
  for (let made = 0; made < 20; made++) {
    const payload = { name: `key ${made}`, type: "live" };
    const created = await app.inject({ method: "POST", url: "/api/v1/api-keys", headers: token, payload });
    const { id, key }: { id: string; key: string } = created.json();
    keys.push(key);
    const roll = { method: "POST", url: `/api/v1/api-keys/${id}/roll`, headers: token, payload: {} } as const;
    keys.push((await app.inject(roll)).json().key);
    for (const headers of [{ "x-api-key": key }, { "x-api-key": `${key}x` }, { authorization: `Bearer ${key}` }]) {
      answers.push((await app.inject({ url: "/api/v1/account", headers })).body);
    }
    answers.push((await app.inject({ url: `/api/v1/api-keys/${key}`, method: "DELETE", headers: token })).body);
    answers.push((await app.inject({ url: `/errors/${key}`, headers: { "x-request-id": key.slice(0, 5) } })).body);
    answers.push((await app.inject({ url: "/api/v1/api-keys", headers: token })).body);
    answers.push((await app.inject({ url: `/api/v1/api-keys/${id}`, method: "DELETE", headers: token })).body);
    answers.push((await app.inject({ url: "/api/v1/account", headers: { "x-api-key": key } })).body);
    progress(`used ${made + 1} keys`);
  }
  const rows = await readAllRows(db);
  const texts = [...rows, ...logLines, ...answers];
  // The secret alone counts as a leak: the rest of the key can be computed from it.
  const secretOf = (key: string) => key.slice("postern_live_AA".length, -6);
  return {
    keys: keys.length,
    texts: texts.length,
    found: keys.filter((key) => texts.some((text) => text.includes(secretOf(key)))),
  };
}
