import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Actor, systemActor } from "../actor.ts";
import { AppError } from "../errors.ts";
import { rateLimitedClient } from "./connection-rate-limit.ts";
import { getTypeParser } from "./result-types.ts";
import { defaultTimeoutMs, sessionSettings } from "./session-settings.ts";
import { isConnectionError, isContention, sqlState } from "./sql-state.ts";

/** Each connection prepares a statement once, by its name. */
export interface Statement {
  name: string;
  text: string;
  values?: unknown[];
  /** For lookups by id in partitioned tables: a generic plan locks every partition. */
  isPlannedEachTime?: boolean;
  /**
   * For lists of an account: forbids PostgreSQL to collect all rows of the account and sort them, which it prefers without statistics or
   * with old ones, to an index that has the order.
   */
  isReadInOrder?: boolean;
  /**
   * PostgreSQL plans the statement once per connection, for all values. Two kinds need it:
   *
   * 1. Statements of an account that find their rows by index in a few of many partitions, by ranges that only the execution knows. To
   *    plan them each time costs more than to run them: it opens every partition, and for a known range it reads the ends of their indexes.
   * 2. Long statements for sets of any size. PostgreSQL prefers to plan a small set each time, because it expects ten rows of an unknown one.
   */
  isPlannedOnce?: boolean;
  /** Required for statements that update or lock existing rows of `sends` or of `webhook_deliveries`: see `runInOneSnapshot`. */
  changesSends?: boolean;
  /** Statements with the same text here run one at a time, over all processes, and each sees what the one before it committed. */
  oneAtATime?: string;
  /** With `oneAtATime`: does not wait until the commit is on disk. A crash of PostgreSQL within a second can undo it. */
  mayBeUndone?: boolean;
}

export interface Queryable {
  query<Row = never>(statement: Statement): Promise<Row[]>;
}

/** Created only by `withTransaction`. Functions that must share a commit require this type. */
export interface Transaction extends Queryable {
  readonly inTransaction: true;
}

/** Reads and writes the rows of one account only, whatever the statement says. Created only by `forAccount`. */
export interface AccountDatabase extends Queryable {
  readonly accountId: string;
  /** Who acts in the account, for the entries that management actions write to the audit. */
  readonly actor: Actor;
}

export interface Database extends Queryable {
  /** For requests of an account: each statement runs as a role that row-level security binds to the account. */
  forAccount(accountId: string, actor?: Actor): AccountDatabase;
  /** Runs `work` on one connection between begin and commit. Any error it throws rolls back. */
  withTransaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

interface DatabaseOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  onIdleError: (error: Error) => void;
  statementTimeoutMs?: number;
  /** `url` leads to a pooler: the sessions have the settings of the role (`pooler/require-usable-pooler.ts`). */
  isPooled?: boolean;
}

/** The server cancels a statement at its timeout. Without an answer this long after it, the connection counts as lost. */
const answerGraceMs = 2_000;
const connectTimeoutMs = 5_000;
/** Long enough that intermittent traffic opens few connections, which are rate limited. */
const idleTimeoutMs = 60_000;
/**
 * One name for all: PgBouncer sets the name again, by a statement of its own, when a server connection goes to a client with another one.
 */
const pooledName = "postern-pooled";

export function openDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMs = defaultTimeoutMs } = options;
  const pool = new pg.Pool({
    Client: rateLimitedClient(options.poolSize * 2),
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.isPooled ? pooledName : options.applicationName,
    query_timeout: statementTimeoutMs + answerGraceMs,
    ...(options.isPooled ? {} : sessionSettings(statementTimeoutMs)),
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    // Sends queries without waiting for earlier answers, for `runInTransaction`.
    pipeline: true,
    types: { getTypeParser },
  });
  // Without a listener the process would exit when the server closes an idle connection.
  pool.on("error", options.onIdleError);

  return {
    query: (statement) => {
      if (statement.changesSends) return runInOneSnapshot(pool, statement);
      if (statement.isPlannedOnce) return runInTransaction(pool, [`begin; ${genericPlan}`], statement);
      return statement.oneAtATime === undefined
        ? run(pool, statement)
        : runAlone(pool, statement, statement.oneAtATime);
    },
    forAccount: (accountId, actor = systemActor) => ({
      accountId,
      actor,
      query: (statement) => runForAccount(pool, accountId, statement),
    }),
    withTransaction: (work) => withTransaction(pool, work),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

async function withTransaction<Result>(pool: pg.Pool, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return withClient(pool, async (client, markBroken) => {
    try {
      await client.query("begin").catch(translate);
      const result = await work({ inTransaction: true, query: (statement) => run(client, statement) });
      requireCommitted(await client.query("commit").catch(translate));
      return result;
    } catch (error) {
      await client.query("rollback").catch(markBroken);
      throw error;
    }
  });
}

/** Every database has this role. The row-level security migration explains the choice and grants its rights. */
const bindToAccount = {
  name: "bind-to-account",
  text: `
      select set_config('role', 'pg_database_owner', true), set_config('postern.account_id', $1, true)`,
};

const forbidCollecting = "set local enable_bitmapscan = off";
const genericPlan = "set local plan_cache_mode = force_generic_plan";
/** A plan for all values, also for those of tables that were small when it was made: always by index, and in the order of the index. */
const planOnce = `${genericPlan}; set local enable_seqscan = off; ${forbidCollecting}`;

function runForAccount<Row>(pool: pg.Pool, accountId: string, statement: Statement): Promise<Row[]> {
  const { oneAtATime, changesSends, isReadInOrder, isPlannedOnce } = statement;
  const bind = { ...bindToAccount, values: [accountId] };
  if (changesSends) {
    return untilUncontended(() => runInTransaction(pool, ["begin isolation level repeatable read", bind], statement));
  }
  const settings = isPlannedOnce ? planOnce : isReadInOrder ? forbidCollecting : undefined;
  const begin = settings === undefined ? "begin" : `begin; ${settings}`;
  const lock = oneAtATime === undefined ? [] : [{ ...lockForStatement, values: [oneAtATime] }];
  return runInTransaction(pool, [begin, bind, ...lock], statement);
}

/** A generic plan for batches of any size: PostgreSQL would plan small batches each time, which can take as long as they do. */
const inOneSnapshot = `begin isolation level repeatable read; ${genericPlan}`;
/** Of many statements that want the same rows one succeeds per round, so the others pause a little longer each time. */
const contentionRetryMs = 10_000;
const maxPauseMs = 50;

/**
 * Works around a crash of PostgreSQL 18.4 that ends all sessions: a null pointer in perform_pruning_base_step, 21 times in
 * one run of the proof `feedback-order`. It happens at read committed, when a statement that changes or locks rows of a
 * partitioned table meets a row that another transaction has just changed: PostgreSQL evaluates that row again and prunes
 * partitions meanwhile. At repeatable read the statement fails instead, is rolled back, and runs again in a new snapshot.
 */
function runInOneSnapshot<Row>(pool: pg.Pool, statement: Statement): Promise<Row[]> {
  return untilUncontended(() => runInTransaction<Row>(pool, [inOneSnapshot], statement));
}

async function untilUncontended<Result>(work: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + contentionRetryMs;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || performance.now() > until) throw error;
      if (tries > 1) await sleep(Math.random() * Math.min(maxPauseMs, tries * 2));
    }
  }
}

/** The lock is a statement of its own, so the snapshot of the other is from after the wait. */
const lockForStatement = {
  name: "lock-for-statement",
  text: `
      select pg_advisory_xact_lock(hashtextextended($1, 0))`,
};

/** A process that freezes holds nothing up, because the server already has the commit. */
function runAlone<Row>(pool: pg.Pool, statement: Statement, lock: string): Promise<Row[]> {
  const begin = statement.mayBeUndone ? "begin; set local synchronous_commit = off" : "begin";
  return runInTransaction(pool, [begin, { ...lockForStatement, values: [lock] }], statement);
}

/** Sends all statements together, in one round trip. A failure aborts the transaction, so the statements after it fail too. */
async function runInTransaction<Row>(
  pool: pg.Pool,
  before: (string | pg.QueryConfig)[],
  statement: Statement,
): Promise<Row[]> {
  return withClient(pool, async (client) => {
    const [begun, done, committed] = await Promise.allSettled([
      Promise.all(before.map((each) => client.query(each))),
      run<Row>(client, statement),
      client.query("commit"),
    ]);
    // In this order, so that the first failure is thrown and not its consequences.
    outcomeOf(begun);
    const rows = outcomeOf(done);
    requireCommitted(outcomeOf(committed));
    return rows;
  });
}

function outcomeOf<Value>(settled: PromiseSettledResult<Value>): Value {
  return settled.status === "fulfilled" ? settled.value : translate(settled.reason);
}

/** PostgreSQL answers the commit of a failed transaction with ROLLBACK, not with an error. */
function requireCommitted({ command }: pg.QueryResult): void {
  if (command !== "COMMIT") throw new Error("a transaction was rolled back because a statement in it failed");
}

async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, markBroken: (error: Error) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch(translate);
  let broken: Error | undefined;
  // `pg` emits this when a connection is lost between two statements. Without a listener the process would exit.
  const markBroken = (error: Error) => {
    broken = error;
  };
  client.on("error", markBroken);
  try {
    return await work(client, markBroken);
  } catch (error) {
    if (isUnanswered(error)) markBroken(error);
    throw error;
  } finally {
    client.off("error", markBroken);
    client.release(broken);
  }
}

/** A connection on which the server did not answer, or that leads to a former primary, is closed and not returned to the pool. */
function isUnanswered(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.code !== "UNAVAILABLE") return false;
  const state = sqlState(error.cause);
  return state === undefined || state === "25006";
}

async function run<Row>(client: pg.Pool | pg.PoolClient, statement: Statement): Promise<Row[]> {
  const { name, text, values = [], isPlannedEachTime = false } = statement;
  const result = await client.query(isPlannedEachTime ? { text, values } : { name, text, values }).catch(translate);
  // The caller declares the row type of its own SQL; a test executes each statement.
  return result.rows as Row[];
}

/** Callers can act on an unreachable database. Every other error is a bug and is thrown unchanged. */
function translate(error: unknown): never {
  if (!isConnectionError(error)) throw error;
  throw new AppError("UNAVAILABLE", "The database cannot be reached at the moment. Try again shortly.", {
    retryAfterSeconds: 2,
    cause: error,
  });
}
