import { Agent, request as startRequest } from "node:http";
import type { Proof } from "../../scripts/proof.ts";
import { suspendAccount } from "../src/accounts/account-store.ts";
import { revokeApiKey } from "../src/api-keys/api-key-store.ts";
import { rollApiKey } from "../src/api-keys/roll-api-key.ts";
import type { Database } from "../src/db/database.ts";
import { logIn } from "../src/logins/log-in.ts";
import { resetPassword } from "../src/logins/reset-password.ts";
import type { CredentialDeps } from "../src/processes/api-deps.ts";
import { aLogin, anApiKey } from "../test/builders.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";

/** A credential in use, and a way to end it. */
interface Subject {
  headers: Record<string, string>;
  /** What the credential may do until then; `uses` unless given. */
  uses?: Request[];
  /** Resolves when the client knows that the credential has ended. */
  end: () => Promise<void>;
}

interface Tally {
  before: number;
  after: number;
  acceptedAfter: number;
}

const requestsBefore = 8;
const requestsAfter = 8;
const concurrency = 20;

interface Request {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: Record<string, unknown>;
}

type Call = (url: string, headers: Record<string, string>, request: Request) => Promise<number>;

/** What a client does with a credential. The second needs no valid mail: 422 and 429 mean that the credential counted. */
const uses: Request[] = [
  { method: "GET", path: "/api/v1/account" },
  { method: "POST", path: "/api/v1/send", body: {} },
];
const acceptedStatuses = [200, 422, 429];

export const proof: Proof = {
  promise:
    "A revoked, expired or replaced key, an ended login, a removed member, a lost role and a suspended account are refused from the next request on",
  covers: [
    "service/migrations",
    "service/src/accept",
    "service/src/accounts",
    "service/src/api-keys",
    "service/src/api/auth",
    "service/src/logins",
  ],
  size: { small: 5, full: 200 },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 2, async ({ db, processes, credentialDeps }) => {
      const urls = processes.map(({ url }) => url);
      const agent = new Agent({ keepAlive: true, maxSockets: 64 });
      const call: Call = (url, headers, use) => statusOf(agent, url, headers, use);

      const tallies: [string, Tally][] = [];
      for (const [kind, makeSubject] of Object.entries(
        subjects(db, credentialDeps, (...args) => call(urls[0] ?? "", ...args)),
      )) {
        const tally: Tally = { before: 0, after: 0, acceptedAfter: 0 };
        tallies.push([kind, tally]);
        await inParallel(size, concurrency, async (done) => {
          await useUntilEnded(await makeSubject(), urls, call, tally);
          progress(`${kind}: ${done} of ${size}`);
        });
      }
      agent.destroy();
      return {
        figure:
          tallies.map(([kind, { acceptedAfter, after }]) => `${kind} ${acceptedAfter} of ${after}`).join(", ") +
          ` requests accepted that started after the client knew of the end (${size} credentials each, 2 processes)`,
        holds: tallies.every(
          ([, tally]) => tally.acceptedAfter === 0 && tally.before >= size && tally.after >= 2 * requestsAfter * size,
        ),
      };
    }),
};

/** The ways in which a credential ends. */
function subjects(
  db: Database,
  { loginDeps, apiKeyIssuer }: CredentialDeps,
  callFirst: (headers: Record<string, string>, request: Request) => Promise<number>,
): Record<string, () => Promise<Subject>> {
  return {
    revocation: async () => {
      const login = await aLogin(db, loginDeps);
      const { id, key } = await anApiKey(db, apiKeyIssuer, login.accountId);
      const authorization = `Bearer ${login.accessToken}`;
      const end = () => mustBe200(callFirst({ authorization }, { method: "DELETE", path: `/api/v1/api-keys/${id}` }));
      return { headers: { "x-api-key": key }, end };
    },
    "revocation of a rolled key": async () => {
      const login = await aLogin(db, loginDeps);
      const { id } = await anApiKey(db, apiKeyIssuer, login.accountId);
      const account = db.forAccount(login.accountId);
      const { key } = await rollApiKey(account, apiKeyIssuer, { id, overlapSeconds: 60 });
      const end = () => revokeApiKey(account, id).then(() => undefined);
      return { headers: { authorization: `Bearer ${key}` }, end };
    },
    roll: async () => {
      const login = await aLogin(db, loginDeps);
      const { id, key } = await anApiKey(db, apiKeyIssuer, login.accountId);
      const rolling = { method: "POST", path: `/api/v1/api-keys/${id}/roll`, body: { overlap_seconds: 0 } } as const;
      const end = () => mustBe200(callFirst({ authorization: `Bearer ${login.accessToken}` }, rolling));
      return { headers: { "x-api-key": key }, end };
    },
    "end of an overlap": async () => {
      const { accountId } = await aLogin(db, loginDeps);
      const { id, key } = await anApiKey(db, apiKeyIssuer, accountId);
      const account = db.forAccount(accountId);
      const { previousEndsAt } = await rollApiKey(account, apiKeyIssuer, { id, overlapSeconds: 1 });
      return { headers: { authorization: `Bearer ${key}` }, end: () => untilPast(previousEndsAt) };
    },
    expiry: async () => {
      const { accountId } = await aLogin(db, loginDeps);
      const expiresAt = new Date(Date.now() + 400).toISOString();
      const { key } = await anApiKey(db, apiKeyIssuer, accountId, { expiresAt });
      return { headers: { "x-api-key": key }, end: () => untilPast(expiresAt) };
    },
    logout: async () => {
      const { accessToken } = await aLogin(db, loginDeps);
      const headers = { authorization: `Bearer ${accessToken}` };
      return { headers, end: () => mustBe200(callFirst(headers, { method: "POST", path: "/api/v1/auth/logout" })) };
    },
    "removal of a member": async () => {
      const owner = await aLogin(db, loginDeps);
      const member = await aLogin(db, loginDeps, { accountId: owner.accountId, role: "developer" });
      const request = { method: "DELETE", path: `/api/v1/members/${member.id}` } as const;
      const end = () => mustBe200(callFirst({ authorization: `Bearer ${owner.accessToken}` }, request));
      return { headers: { authorization: `Bearer ${member.accessToken}` }, end };
    },
    "demotion to viewer": async () => {
      const owner = await aLogin(db, loginDeps);
      const member = await aLogin(db, loginDeps, { accountId: owner.accountId, role: "developer" });
      const request = { method: "PATCH", path: `/api/v1/members/${member.id}`, body: { role: "viewer" } } as const;
      const end = () => mustBe200(callFirst({ authorization: `Bearer ${owner.accessToken}` }, request));
      return { headers: { authorization: `Bearer ${member.accessToken}` }, uses: uses.slice(1), end };
    },
    "password reset": async () => {
      const { accessToken, email } = await aLogin(db, loginDeps);
      return {
        headers: { authorization: `Bearer ${accessToken}` },
        end: () => resetPassword(db, email).then(() => undefined),
      };
    },
    "password change in another session": async () => {
      const { accessToken, email, password } = await aLogin(db, loginDeps);
      const other = await logIn(db, loginDeps, { email, password, address: "192.0.2.1" });
      const body = { current_password: password, new_password: `${password} 2` };
      const request = { method: "POST", path: "/api/v1/auth/password", body } as const;
      const end = () => mustBe200(callFirst({ authorization: `Bearer ${other.accessToken}` }, request));
      return { headers: { authorization: `Bearer ${accessToken}` }, end };
    },
    suspension: async () => {
      const { accountId } = await aLogin(db, loginDeps);
      const { key } = await anApiKey(db, apiKeyIssuer, accountId);
      return { headers: { "x-api-key": key }, end: () => suspendAccount(db, accountId) };
    },
  };
}

/** One client per process keeps using the credential. An answer counts as after the end if its request started after it. */
async function useUntilEnded(subject: Subject, urls: string[], call: Call, tally: Tally): Promise<void> {
  const permitted = subject.uses ?? uses;
  let hasEnded = false;
  let used = 0;
  const ending = (async () => {
    while (used < requestsBefore) await new Promise((resolve) => setImmediate(resolve));
    await subject.end();
    hasEnded = true;
  })();
  const client = async (url: string) => {
    for (let usedAfter = 0; usedAfter < requestsAfter; ) {
      const startedAfter = hasEnded;
      const status = await call(url, subject.headers, permitted[used % permitted.length] as Request);
      used++;
      const isAccepted = acceptedStatuses.includes(status);
      if (isAccepted && startedAfter) tally.acceptedAfter++;
      if (isAccepted && !startedAfter) tally.before++;
      if (startedAfter) {
        usedAfter++;
        tally.after++;
      }
    }
  };
  await Promise.all([ending, ...urls.map(client)]);
}

function statusOf(agent: Agent, url: string, headers: Record<string, string>, { method, path, body }: Request) {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise<number>((resolve, reject) => {
    const call = startRequest(`${url}${path}`, { agent, method, headers: { ...headers, ...type } }, (response) => {
      response.on("end", () => resolve(response.statusCode ?? 0)).resume();
    });
    call.on("error", reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function mustBe200(status: Promise<number>): Promise<void> {
  const got = await status;
  if (got !== 200) throw new Error(`ending a credential was answered with ${got}`);
}

/** All processes and PostgreSQL share this machine's clock, so "past" means the same to all of them. */
async function untilPast(time: string): Promise<void> {
  while (Date.now() <= Date.parse(time)) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function inParallel(total: number, lanes: number, work: (done: number) => Promise<void>): Promise<void> {
  let started = 0;
  const lane = async () => {
    while (started < total) {
      started++;
      await work(started);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, total) }, lane));
}
