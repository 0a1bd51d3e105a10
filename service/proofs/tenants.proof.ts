import { startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import document from "../openapi.json" with { type: "json" };
import type { ApiDeps } from "../src/api/http/api-server.ts";
import type { Environment } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import type { DomainDeps } from "../src/domains/register-domain.ts";
import { openTestDeps } from "../test/domain-deps.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { startTestApi } from "../test/with-test-apis.ts";
import { findTablesNotCompared } from "./foreign-rows.ts";
import { watchDatabase } from "./forgotten-scope.ts";
import { aTenant, type Tenant } from "./tenant-accounts.ts";
import { operationsWithoutIds, probesOfOther, probesOfOwn, probesThatChange } from "./tenant-probes.ts";
import { type Stage, type Swept, sweep } from "./tenant-sweep.ts";

/** Finding the account, the turns and the names at the provider: what serves all accounts, and nothing else does. */
const mayBeUnbound = [
  "find-key-by-hmacs",
  "find-open-login",
  "take-control-token",
  "is-name-taken",
  "find-identity-removal",
  "forget-identity-removal",
];

export const proof: Proof = {
  promise: "No account sees or changes what is another's, not even through statements that forget their account",
  size: { small: 2, full: 20 },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator();
    try {
      return await withSimulatedCell(serverUrl, simulator, async ({ db, url, environment }) => {
        const deps = await openTestDeps(db, url, simulator);
        const stages = await openStages(db, deps, environment, size);
        try {
          return await proveAll(db, stages, progress);
        } finally {
          for (const { app } of Object.values(stages)) await app.close();
          await deps.locks.close();
        }
      });
    } finally {
      await simulator.stop();
    }
  },
};

type Stages = Record<"whole" | "guarded" | "bare", Stage>;

/** The same API three times: as it is, for statements without scope behind the guard, and for the same without the guard. */
async function openStages(db: Database, domainDeps: DomainDeps, environment: Environment, size: number): Promise<Stages> {
  const tenants: Tenant[] = [];
  const open = async (isGuarded: boolean, stranger: string): Promise<Stage & { deps: ApiDeps }> => {
    const watched = watchDatabase(db, { isGuarded, stranger });
    const { app, deps } = await startTestApi(watched, environment, []);
    deps.domainDeps = { ...domainDeps, db: watched };
    return { db: watched, app, deps, loginDeps: deps.loginDeps, tenants, jwtOnly };
  };
  const whole = await open(true, "");
  for (let number = 1; number <= size; number++) tenants.push(await aTenant(db, whole.deps, number));
  // Of the first one: whoever asks in its place must not be it.
  const stranger = tenants[0]?.accountId ?? "";
  return { whole, guarded: await open(true, stranger), bare: await open(false, stranger) };
}

async function proveAll(db: Database, stages: Stages, progress: ProofTools["progress"]): Promise<Finding> {
  const { whole, guarded, bare } = stages;
  const { tenants } = whole;
  const [, ...strangers] = tenants;
  const last = tenants.slice(-1);

  const asItIs = await sweep(whole, { actors: tenants, progress });
  guarded.db.forget = "conditions";
  const behindGuard = await sweep(guarded, { actors: tenants, reference: whole.app, progress });
  guarded.db.forget = "everything";
  const given = await sweep(guarded, { actors: strangers, onlyChanges: true, progress });

  // The control: the same without the guard has to show what the guard keeps away, for each statement.
  bare.db.forget = "conditions";
  const control = { actors: last, reference: whole.app, comparesEachChange: true, progress };
  const without = await sweep(bare, control);
  bare.db.forget = "everything";
  const givenWithout = await sweep(bare, { ...control, onlyChanges: true });

  const forgotten = union(behindGuard.scopeless, given.scopeless);
  const revealed = union(without.revealed, givenWithout.revealed);
  const gaps = [
    ...asItIs.foreign,
    ...behindGuard.foreign,
    ...given.foreign,
    ...missing("has no account to forget", asItIs.bound, forgotten),
    ...missing("shows nothing foreign without the guard", forgotten, revealed),
    ...missing("runs without the guard", asItIs.unbound, new Set(mayBeUnbound)),
    ...missing("is asked by no probe", operationsOf(document), operationsAsked(tenants)),
    ...(await findTablesNotCompared(db)).map((table) => `${table} is not compared`),
  ];
  return {
    figure: figureOf(tenants.length, { asItIs, behindGuard, given, without, forgotten, gaps }),
    holds: gaps.length === 0,
  };
}

interface Figures {
  asItIs: Swept;
  behindGuard: Swept;
  given: Swept;
  without: Swept;
  forgotten: Set<string>;
  gaps: string[];
}

function figureOf(accounts: number, { asItIs, behindGuard, given, without, forgotten, gaps }: Figures): string {
  const foreign = behindGuard.foreign.length + given.foreign.length;
  return (
    `${accounts} accounts, each by JWT, live and test key: ${asItIs.foreign.length} of ${asItIs.requests} requests showed or ` +
    `changed what is another's; with the account taken out of ${forgotten.size} statements ${foreign} of ` +
    `${behindGuard.requests + given.requests}, and ${without.foreign.length} of ${without.requests} when the guard was off too` +
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
  // The document is written by us, and a test holds it against the schema of OpenAPI.
  return Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
}

function operationsOf(published: typeof document): string[] {
  return allOperations(published).map(({ operationId }) => operationId);
}

function operationsAsked([one, other]: Tenant[]): Set<string> {
  if (one === undefined || other === undefined) throw new Error("two accounts are needed at least");
  const probes = [...probesOfOwn(one, []), ...probesOfOther(other), ...probesThatChange(one, "", 0)];
  return new Set([...probes.map(({ operation }) => operation), ...operationsWithoutIds]);
}

const jwtOnly = new Set(
  allOperations(document)
    .filter(({ security }) => security.every((scheme) => "jwt" in scheme))
    .map(({ operationId }) => operationId),
);
