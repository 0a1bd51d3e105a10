import { startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import document from "../openapi.json" with { type: "json" };
import { setTotpRequired } from "../src/accounts/account-store.ts";
import type { ApiDeps } from "../src/api/http/api-server.ts";
import type { Environment } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import type { DomainDeps } from "../src/domains/register-domain.ts";
import { bothModes } from "../src/mode.ts";
import { anAccount } from "../test/builders.ts";
import { openDomainFixture } from "../test/domain-fixture.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { startTestApi } from "../test/with-test-apis.ts";
import { findUncoveredTables } from "./tenants/foreign-rows.ts";
import { aTenant, type Tenant } from "./tenants/tenant-accounts.ts";
import { operationsWithoutIds, probesOfOther, probesOfOwn, probesThatChange } from "./tenants/tenant-probes.ts";
import { type Fixture, type SweepResult, sweep } from "./tenants/tenant-sweep.ts";
import { watchDatabase } from "./tenants/unscoped-statements.ts";

/** No other statement may serve all accounts. */
const mayBeUnbound = [
  // Authentication and its counts.
  "find-keys-by-hmacs",
  "find-open-logins",
  "find-user-by-email",
  "get-login-name",
  "is-recent-unless-oidc",
  "count-login-attempt",
  "clear-login-attempts",
  "count-mails",
  // What belongs to a person, who may be a member of several accounts: these find it by the user of the token.
  "get-person",
  "list-memberships",
  "list-sessions",
  "end-session",
  "end-other-sessions",
  "find-totp",
  "store-totp-enrolment",
  // The names of the fingerprint keys, of the accounts in requests that were authenticated.
  "find-fingerprint-keys",
  // The key of TOTP secrets, the count of validations, the control-call budget and provider names serve all accounts.
  "find-or-insert-sealed-key",
  "count-validations",
  "take-control-token",
  "take-change-slot",
  "is-name-taken",
  "find-identity-removal",
  "forget-identity-removal",
  // Wakes the workers, without data.
  "hint",
];

export const proof: Proof = {
  promise:
    "No account sees or changes data of another account, not even through statements without their account condition",
  covers: [
    "service/migrations",
    "service/openapi.json",
    "service/proofs/tenants",
    "service/src/accept",
    "service/src/accounts",
    "service/src/api",
    "service/src/api-keys",
    "service/src/audit",
    "service/src/content-views",
    "service/src/db",
    "service/src/domains",
    "service/src/events",
    "service/src/invitations",
    "service/src/logins",
    "service/src/sends",
    "service/src/suppressions",
  ],
  size: { small: 2, full: 20 },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator();
    try {
      return await withSimulatedCell(serverUrl, simulator, async ({ db, url, environment }) => {
        const domainDeps = await openDomainFixture(db, url, simulator);
        const fixtures = await openFixtures(db, domainDeps, environment, size);
        try {
          return await proveAll(db, fixtures, progress);
        } finally {
          for (const { app } of Object.values(fixtures)) await app.close();
          await domainDeps.locks.close();
        }
      });
    } finally {
      await simulator.stop();
    }
  },
};

/** The search looks up a hash that contains the account; its bounds are a range of ids that no answer shows. A chunk is read only
 * after the content, whose statement has a condition of its own.
 * A new key only learns that its prefix is taken. */
const revealNothing = ["find-search-bounds", "search-sends", "read-attachment-chunk", "is-prefix-of-moved-key"];

type Fixtures = Record<"scoped" | "unscoped" | "unprotected", Fixture>;

/** The same API three times: unchanged, with unscoped statements, and with unscoped statements but no row-level security. */
async function openFixtures(
  db: Database,
  domainDeps: DomainDeps,
  environment: Environment,
  size: number,
): Promise<Fixtures> {
  const tenants: Tenant[] = [];
  const open = async (isRowSecurityOn: boolean, otherAccountId: string): Promise<Fixture & { deps: ApiDeps }> => {
    const watched = watchDatabase(db, { isRowSecurityOn, otherAccountId });
    const { app, deps: apiDeps } = await startTestApi(watched, environment, []);
    apiDeps.domainDeps = { ...domainDeps, db: watched };
    // The sweep reads more than an account may in a second.
    const { usage } = apiDeps.readLimits.count("nobody");
    apiDeps.readLimits.count = () => ({ usage, retryMs: undefined });
    apiDeps.readLimits.countWrite = apiDeps.readLimits.count;
    return { db: watched, app, deps: apiDeps, loginDeps: apiDeps.loginDeps, tenants, jwtOnly };
  };
  const scoped = await open(true, "");
  for (let number = 1; number <= size; number++) tenants.push(await aTenant(db, scoped.deps, number));
  await aSleepingAccount(db);
  // The first account; it is not an actor in the sweeps that store rows under it.
  const otherAccountId = tenants[0]?.accountId ?? "";
  return { scoped, unscoped: await open(true, otherAccountId), unprotected: await open(false, otherAccountId) };
}

/** Nobody uses it, so it can require TOTP: a change of that setting of all accounts shows. */
async function aSleepingAccount(db: Database): Promise<void> {
  await setTotpRequired(db.forAccount(await anAccount(db)), true);
}

async function proveAll(db: Database, fixtures: Fixtures, progress: ProofTools["progress"]): Promise<Finding> {
  const { scoped, unscoped, unprotected } = fixtures;
  const { tenants } = scoped;
  const [, ...others] = tenants;
  const last = tenants.slice(-1);

  const normal = await sweep(scoped, { actors: tenants, progress });
  unscoped.db.removed = "conditions";
  const withoutConditions = await sweep(unscoped, { actors: tenants, reference: scoped.app, progress });
  unscoped.db.removed = "everything";
  const withOtherAccount = await sweep(unscoped, { actors: others, onlyChanges: true, progress });

  // The control: without row-level security each of these statements must reveal data of another account.
  unprotected.db.removed = "conditions";
  const control = { actors: last, reference: scoped.app, comparesEachChange: true, progress };
  const unprotectedReads = await sweep(unprotected, control);
  unprotected.db.removed = "everything";
  const unprotectedWrites = await sweep(unprotected, { ...control, onlyChanges: true });

  const changedStatements = union(withoutConditions.unscoped, withOtherAccount.unscoped);
  const revealed = union(union(unprotectedReads.revealed, unprotectedWrites.revealed), new Set(revealNothing));
  const gaps = [
    ...normal.foreign,
    ...withoutConditions.foreign,
    ...withOtherAccount.foreign,
    ...missing("has no account condition to remove", normal.bound, changedStatements),
    ...missing("reveals nothing without row-level security", changedStatements, revealed),
    ...missing("runs without an account", normal.unbound, new Set(mayBeUnbound)),
    ...missing("has no probe", operationsOf(document), operationsProbed(tenants)),
    ...(await findUncoveredTables(db)).map((table) => `${table} is not fingerprinted`),
  ];
  return {
    figure: figureOf(tenants.length, {
      normal,
      withoutConditions,
      withOtherAccount,
      unprotectedReads,
      changedStatements,
      gaps,
    }),
    holds: gaps.length === 0,
  };
}

interface Figures {
  normal: SweepResult;
  withoutConditions: SweepResult;
  withOtherAccount: SweepResult;
  unprotectedReads: SweepResult;
  changedStatements: Set<string>;
  gaps: string[];
}

function figureOf(
  accounts: number,
  { normal, withoutConditions, withOtherAccount, unprotectedReads, changedStatements, gaps }: Figures,
): string {
  const foreign = withoutConditions.foreign.length + withOtherAccount.foreign.length;
  return (
    `${accounts} accounts, each by JWT, live and test key: ${normal.foreign.length} of ${normal.requests} requests showed or ` +
    `changed data of another account; with the account removed from ${changedStatements.size} statements ${foreign} of ` +
    `${withoutConditions.requests + withOtherAccount.requests}, and ${unprotectedReads.foreign.length} of ${unprotectedReads.requests} with row-level security off too` +
    gaps
      .slice(0, 5)
      .map((gap) => `; ${gap}`)
      .join("")
  );
}

function missing(what: string, names: Iterable<string>, known: Set<string>): string[] {
  return [...names].filter((name) => !known.has(name)).map((name) => `${name} ${what}`);
}

function union(one: Set<string>, other: Set<string>): Set<string> {
  return new Set([...one, ...other]);
}

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
}

function allOperations({ paths }: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  // We generate the document, and a test validates it against the OpenAPI schema.
  return Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
}

function operationsOf(published: typeof document): string[] {
  return allOperations(published).map(({ operationId }) => operationId);
}

const noSpares = {
  domainId: 0,
  memberId: "",
  invitationId: "",
  webhook: { id: "", deliveryId: "", replayId: "", listenerId: "" },
};

function operationsProbed([one, other]: Tenant[]): Set<string> {
  if (one === undefined || other === undefined) throw new Error("at least two accounts are required");
  const probes = [
    ...probesOfOwn(one, bothModes),
    ...probesOfOther(other, bothModes),
    ...probesThatChange(one, "", noSpares),
  ];
  return new Set([...probes.map(({ operation }) => operation), ...operationsWithoutIds]);
}

const jwtOnly = new Set(
  allOperations(document)
    .filter(({ security }) => security.every((scheme) => "jwt" in scheme))
    .map(({ operationId }) => operationId),
);
