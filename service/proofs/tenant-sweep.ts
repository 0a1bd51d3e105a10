import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ProofTools } from "../../scripts/proof.ts";
import type { ApiServer } from "../src/api/http/api-server.ts";
import type { LoginDeps } from "../src/logins/log-in.ts";
import type { Mode } from "../src/mode.ts";
import { aLogin } from "../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../test/send-builders.ts";
import { foreignRows } from "./foreign-rows.ts";
import type { WatchedDatabase } from "./forgotten-scope.ts";
import { everybodysSuppressed, type Tenant } from "./tenant-accounts.ts";
import { type Probe, probesOfOther, probesOfOwn, probesThatChange } from "./tenant-probes.ts";

export interface Stage {
  db: WatchedDatabase;
  app: ApiServer;
  loginDeps: LoginDeps;
  tenants: Tenant[];
  /** Operations that take no API key. */
  jwtOnly: Set<string>;
}

interface Sweep {
  actors: Tenant[];
  /** Answers as they are with every scope in place; what is read must be the same. */
  reference?: ApiServer;
  /** Leaves out what is only read. */
  onlyChanges?: boolean;
  /** Compares the tables after each change, to know which statement it was. Slow. */
  comparesEachChange?: boolean;
  progress: ProofTools["progress"];
}

export interface Swept {
  requests: number;
  foreign: string[];
  bound: Set<string>;
  unbound: Set<string>;
  scopeless: Set<string>;
  /** Scopeless statements of requests that showed or changed what is another's. */
  revealed: Set<string>;
}

type Credential = keyof Tenant["credentials"];
/** And the modes whose sends each may read. */
const credentials: [Credential, Mode[]][] = [
  ["jwt", ["live", "test"]],
  ["liveKey", ["live"]],
  ["testKey", ["test"]],
];

/** Lets each actor ask for everything of everybody, by each of its credentials, and tells what came of it that is not its own. */
export async function sweep(stage: Stage, plan: Sweep): Promise<Swept> {
  const { db, tenants } = stage;
  const swept: Swept = {
    requests: 0,
    foreign: [],
    bound: new Set(),
    unbound: new Set(),
    scopeless: new Set(),
    revealed: new Set(),
  };
  for (const [place, actor] of plan.actors.entries()) {
    const others = tenants.filter((tenant) => tenant !== actor);
    // A token lives 15 minutes, and a sweep of all may take longer.
    actor.credentials.jwt = (await aLogin(db, stage.loginDeps, actor)).accessToken;
    const findChanges = await watchForeignRows(db, actor);
    for (const [credential, shown] of credentials) {
      const changes = probesThatChange(actor, `${db.forget}-${credential}`, await prepareChanges(db, actor));
      const reads = plan.onlyChanges ? [] : [...probesOfOwn(actor, shown), ...others.flatMap(probesOfOther)];
      for (const probe of [...reads, ...changes]) {
        db.startWatching();
        const isCompared = plan.comparesEachChange && probe.method !== "GET";
        const problems = [
          ...(await tryProbe(stage, plan.reference, { actor, others, credential, probe })),
          ...(isCompared ? await findChanges() : []),
        ];
        note(swept, db, probe, problems);
      }
    }
    swept.foreign.push(...(await findChanges()));
    plan.progress(
      `${place + 1} of ${plan.actors.length} accounts have asked for everything of ${others.length} others`,
    );
  }
  return swept;
}

interface Try {
  actor: Tenant;
  others: Tenant[];
  credential: Credential;
  probe: Probe;
}

async function tryProbe(stage: Stage, reference: ApiServer | undefined, given: Try): Promise<string[]> {
  const { probe, credential, others } = given;
  const answer = await call(stage.app, given);
  if (credential !== "jwt" && stage.jwtOnly.has(probe.operation)) {
    return answer.status === 401 ? [] : [`an API key got ${answer.status}`];
  }
  const problem = problemOf(probe, answer, others, stage.db.forget);
  if (problem !== undefined) return [problem];
  if (reference === undefined || probe.kind !== "own") return [];
  const expected = await call(reference, given);
  return isDeepStrictEqual(comparable(answer), comparable(expected)) ? [] : ["answers otherwise than with its scope"];
}

/** The statements of a request that went wrong have revealed something, if they were without their scope. */
function note(swept: Swept, db: WatchedDatabase, { operation }: Probe, problems: string[]): void {
  swept.requests += 1;
  addAll(swept.bound, db.bound);
  addAll(swept.scopeless, db.scopeless);
  // Accepting serves all accounts in one statement.
  if (operation !== "send") addAll(swept.unbound, db.unbound);
  if (problems.length === 0) return;
  swept.foreign.push(`${operation}: ${problems.join(", ")}`);
  addAll(swept.revealed, db.scopeless);
}

/** Returns a way to ask whether rows of others have changed since it was asked last. */
async function watchForeignRows(db: WatchedDatabase, { accountId }: Tenant): Promise<() => Promise<string[]>> {
  let before = await foreignRows(db, accountId);
  return async () => {
    const after = await foreignRows(db, accountId);
    const isSame = isDeepStrictEqual(before, after);
    before = after;
    return isSame ? [] : ["changed rows of another account"];
  };
}

interface Answer {
  status: number;
  text: string;
}

async function call(app: ApiServer, { actor, credential, probe }: Try): Promise<Answer> {
  const { method, path, body } = probe;
  const secret = actor.credentials[credential];
  const response = await app.inject({
    method,
    url: path,
    headers: {
      ...(credential === "jwt" ? { authorization: `Bearer ${secret}` } : { "x-api-key": secret }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, text: response.body };
}

/** Undefined when the answer is as it should be. */
function problemOf(probe: Probe, answer: Answer, others: Tenant[], forget: WatchedDatabase["forget"]) {
  const asked = `${probe.path} ${JSON.stringify(probe.body ?? {})}`;
  const isShown = (mark: string) => answer.text.includes(mark) && !asked.includes(mark);
  if (others.some(({ marks }) => marks.some(isShown))) return "shows what is another's";
  if (!isExpected(probe, answer.status, forget)) return `got ${answer.status}`;
  return probe.operation === "validateSend" && !isCleanVerdict(answer) ? "judges by what is another's" : undefined;
}

function isExpected({ kind, operation }: Probe, status: number, forget: WatchedDatabase["forget"]): boolean {
  switch (kind) {
    case "own":
      return status === 200;
    case "absent":
      return status === (operation === "send" ? 400 : 404);
    case "change":
      // A new row for another account is refused, however clumsily.
      return status < 300 || forget === "everything";
  }
}

/** Of a mail from another's domain to an address on another's list. */
function isCleanVerdict({ text }: Answer): boolean {
  const verdict: { domain: { verified: boolean }; recipients: { email: string; suppressed: boolean }[] } =
    JSON.parse(text);
  const isListed = verdict.recipients.some(({ email, suppressed }) => email !== everybodysSuppressed && suppressed);
  return !verdict.domain.verified && !isListed;
}

/** Without what is different each time it is asked. */
function comparable({ status, text }: Answer): unknown {
  return { status, text: text.replace(/"(request_id|remaining)":("[^"]*"|\d+)/g, "") };
}

/** So that there is something to remove each time. Returns the id of a domain for it. */
async function prepareChanges(db: WatchedDatabase, { accountId, tag }: Tenant): Promise<number> {
  await db.query({
    name: "forget-suppression",
    text: "delete from suppressions where account_id = $1 and mode = 'live' and email = $2",
    values: [accountId, everybodysSuppressed],
  });
  await aSuppression(db, { accountId, email: everybodysSuppressed });
  const name = await aVerifiedDomain(db, accountId, `spare-${randomBytes(4).toString("hex")}-${tag}.test`);
  const [domain] = await db.query<{ id: number }>({
    name: "spare-domain",
    text: "select id from domains where domain_name = $1",
    values: [name],
  });
  return domain?.id ?? 0;
}

function addAll(names: Set<string>, more: Set<string>): void {
  for (const name of more) names.add(name);
}
