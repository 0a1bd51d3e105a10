import { randomBytes, randomUUIDv7 } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ProofTools } from "../../../scripts/proof.ts";
import type { ApiServer } from "../../src/api/http/api-server.ts";
import type { LoginDeps } from "../../src/logins/login-deps.ts";
import { bothModes, type Mode } from "../../src/mode.ts";
import { aLogin, aUser } from "../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";
import { fingerprintForeignRows } from "./foreign-rows.ts";
import { anInvitation, aTenantWebhook, commonSuppressed, type Tenant } from "./tenant-accounts.ts";
import { type Probe, probesOfOther, probesOfOwn, probesThatChange, type Spares } from "./tenant-probes.ts";
import type { WatchedDatabase } from "./unscoped-statements.ts";

export interface Fixture {
  db: WatchedDatabase;
  app: ApiServer;
  loginDeps: LoginDeps;
  tenants: Tenant[];
  /** Operations that take no API key. */
  jwtOnly: Set<string>;
}

interface SweepPlan {
  actors: Tenant[];
  /** Runs statements with their scope; reads must return the same answer. */
  reference?: ApiServer;
  /** Skips the reads. */
  onlyChanges?: boolean;
  /** Compares the tables after each change, to identify the responsible statement. Slow. */
  comparesEachChange?: boolean;
  progress: ProofTools["progress"];
}

export interface SweepResult {
  requests: number;
  foreign: string[];
  bound: Set<string>;
  unbound: Set<string>;
  unscoped: Set<string>;
  /** Unscoped statements of requests that showed or changed data of another account. */
  revealed: Set<string>;
}

type Credential = keyof Tenant["credentials"];
/** Each credential with the modes whose sends it may read. */
const credentials: [Credential, Mode[]][] = [
  ["jwt", ["live", "test"]],
  ["liveKey", ["live"]],
  ["testKey", ["test"]],
];

/** Each actor sends every probe with each of its credentials. Returns what it saw or changed of other accounts. */
export async function sweep(fixture: Fixture, plan: SweepPlan): Promise<SweepResult> {
  const { db, tenants } = fixture;
  const result: SweepResult = {
    requests: 0,
    foreign: [],
    bound: new Set(),
    unbound: new Set(),
    unscoped: new Set(),
    revealed: new Set(),
  };
  for (const [index, actor] of plan.actors.entries()) {
    const others = tenants.filter((tenant) => tenant !== actor);
    // A token expires after 15 minutes, and a full sweep can take longer.
    actor.credentials.jwt = (await aLogin(db, fixture.loginDeps, actor)).accessToken;
    const findChanges = await watchForeignRows(db, actor);
    for (const [credential, shown] of credentials) {
      const own = { ...actor, sends: actor.sends.filter(({ mode }) => shown.includes(mode)) };
      const changes = probesThatChange(own, `${db.removed}-${credential}`, await prepareChanges(db, actor, shown));
      const reads = plan.onlyChanges
        ? []
        : [...probesOfOwn(actor, shown), ...others.flatMap((other) => probesOfOther(other, shown))];
      for (const probe of [...reads, ...changes]) {
        db.startWatching();
        const isCompared = plan.comparesEachChange && probe.method !== "GET";
        const problems = [
          ...(await tryProbe(fixture, plan.reference, { actor, others, credential, probe })),
          ...(isCompared ? await findChanges() : []),
        ];
        recordProbe(result, db, probe, problems);
      }
    }
    result.foreign.push(...(await findChanges()));
    plan.progress(`${index + 1} of ${plan.actors.length} accounts have probed ${others.length} others`);
  }
  return result;
}

interface ProbeRun {
  actor: Tenant;
  others: Tenant[];
  credential: Credential;
  probe: Probe;
}

async function tryProbe(fixture: Fixture, reference: ApiServer | undefined, run: ProbeRun): Promise<string[]> {
  const { probe, credential, others } = run;
  const answer = await call(fixture.app, run);
  if (credential !== "jwt" && fixture.jwtOnly.has(probe.operation)) {
    return answer.status === 401 ? [] : [`an API key got ${answer.status}`];
  }
  const problem = problemOf(probe, answer, others, fixture.db.removed);
  if (problem !== undefined) return [problem];
  if (reference === undefined || probe.kind !== "own") return [];
  const expected = await call(reference, run);
  return isDeepStrictEqual(comparable(answer), comparable(expected)) ? [] : ["answers differently than with its scope"];
}

/** When a request has problems, its unscoped statements are the ones that revealed data. */
function recordProbe(result: SweepResult, db: WatchedDatabase, { operation }: Probe, problems: string[]): void {
  result.requests += 1;
  addAll(result.bound, db.bound);
  addAll(result.unscoped, db.unscoped);
  // One accept statement serves all accounts.
  if (operation !== "send" && operation !== "sendBatch") addAll(result.unbound, db.unbound);
  if (problems.length === 0) return;
  result.foreign.push(`${operation}: ${problems.join(", ")}`);
  addAll(result.revealed, db.unscoped);
}

/** Returns a function that reports whether rows of other accounts have changed since its last call. */
async function watchForeignRows(db: WatchedDatabase, { accountId }: Tenant): Promise<() => Promise<string[]>> {
  let before = await fingerprintForeignRows(db, accountId);
  return async () => {
    const after = await fingerprintForeignRows(db, accountId);
    const isSame = isDeepStrictEqual(before, after);
    before = after;
    return isSame ? [] : ["changed rows of another account"];
  };
}

interface Answer {
  status: number;
  text: string;
}

async function call(app: ApiServer, { actor, credential, probe }: ProbeRun): Promise<Answer> {
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

/** Undefined when the answer is correct. */
function problemOf(probe: Probe, answer: Answer, others: Tenant[], removed: WatchedDatabase["removed"]) {
  const sent = `${probe.path} ${JSON.stringify(probe.body ?? {})}`;
  const isShown = (mark: string) => answer.text.includes(mark) && !sent.includes(mark);
  if (others.some(({ marks }) => marks.some(isShown))) return "shows data of another account";
  if (!isExpected(probe, answer.status, removed)) return `got ${answer.status}`;
  return probe.operation === "validateSend" && !ignoresOtherAccounts(answer)
    ? "decides by data of another account"
    : undefined;
}

/** The domain is not verified in the account of the caller. */
const refusals: Record<string, number | undefined> = { send: 400, sendBatch: 422 };

function isExpected({ kind, operation }: Probe, status: number, removed: WatchedDatabase["removed"]): boolean {
  switch (kind) {
    case "own":
      return status === 200;
    case "absent":
      return status === (refusals[operation] ?? 404);
    case "operator":
      return status === 403;
    case "change":
      // The API refuses a new row for another account, with any error status.
      return status < 300 || removed === "everything";
  }
}

/** For a mail from another account's domain to an address on another account's suppression list. */
function ignoresOtherAccounts({ text }: Answer): boolean {
  const validation: { domain: { verified: boolean }; recipients: { email: string; suppressed: boolean }[] } =
    JSON.parse(text);
  const isListed = validation.recipients.some(({ email, suppressed }) => email !== commonSuppressed && suppressed);
  return !validation.domain.verified && !isListed;
}

/** The answer without the fields that differ on each request. */
function comparable({ status, text }: Answer): unknown {
  return { status, text: text.replace(/"(request_id|remaining)":("[^"]*"|\d+)/g, "") };
}

/** Stores what the changes will remove. */
async function prepareChanges(
  db: WatchedDatabase,
  { accountId, tag, webhooks }: Tenant,
  shown: Mode[],
): Promise<Spares> {
  // An account may invite 50 persons an hour.
  await db.query({ name: "clear-counts", text: "delete from login_attempts" });
  await db.query({
    name: "delete-suppression",
    text: "delete from suppressions where account_id = $1 and email = $2",
    values: [accountId, commonSuppressed],
  });
  for (const mode of bothModes) await aSuppression(db, { accountId, mode, email: commonSuppressed });
  const name = await aVerifiedDomain(db, accountId, `spare-${randomBytes(4).toString("hex")}-${tag}.test`);
  const [domain] = await db.query<{ id: number }>({
    name: "spare-domain",
    text: "select id from domains where domain_name = $1",
    values: [name],
  });
  const { id: memberId } = await aUser(db, { accountId, role: "viewer" });
  // An account may have ten.
  await db.query({
    name: "delete-new-webhooks",
    text: "delete from webhook_endpoints where account_id = $1 and id <> all ($2)",
    values: [accountId, webhooks.flatMap(({ id, listenerId }) => [id, listenerId])],
  });
  const webhook = await aTenantWebhook(db, { accountId, tag, mode: shown[0] ?? "live", sendId: randomUUIDv7() });
  const invitationId = await anInvitation(db, accountId, `spare@${tag}.test`);
  return { domainId: domain?.id ?? 0, memberId, invitationId, webhook };
}

function addAll(names: Set<string>, more: Set<string>): void {
  for (const name of more) names.add(name);
}
