import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { AppError } from "../errors.ts";
import { rateLimitedClient, tcpKeepalive } from "./connection-rate-limit.ts";
import { isConnectionError, isContention, sqlState } from "./sql-state.ts";

/** A statement has a name, so that each connection prepares it once. */
export interface Statement {
  name: string;
  text: string;
  values?: unknown[];
  /** For lookups by id in partitioned tables: a plan made before the id is known takes a lock on every partition. */
  isPlannedEachTime?: boolean;
  /** For statements that change sends: see `runInOneSnapshot`. */
  changesSends?: boolean;
}

export interface Queryable {
  query<Row = never>(statement: Statement): Promise<Row[]>;
}

/** Only `withTransaction` makes one; functions that must share a commit ask for it by type. */
export interface Transaction extends Queryable {
  readonly inTransaction: true;
}

/** Sees and changes the rows of one account and no others, whatever a statement says. Only `forAccount` makes one. */
export interface AccountDatabase extends Queryable {
  readonly accountId: string;
}

export interface Database extends Queryable {
  /** For what is done in the name of an account: each statement runs as a role that is bound to it by row-level security. */
  forAccount(accountId: string): AccountDatabase;
  /** Runs `work` on one connection inside begin and commit; whatever it throws rolls back. */
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
}

/** With what follows: a connection that was lost without a word is given up so early that all is well 15 s after the network. */
const usualTimeoutMs = 8_000;
// What still has no answer this long after the server should have given up has lost its server.
const silenceMs = 2_000;
const idleInTransactionTimeoutMs = 15_000;
const connectTimeoutMs = 5_000;
/** So that traffic that comes and goes uses up little of the pace at which connections are opened. */
const idleTimeoutMs = 60_000;
/**
 * Every statement here finds its rows by an index. A plan is kept for the life of a connection, and one that was made while
 * a table was small would otherwise go on reading it whole: measured, 40 requests took 4.6 s instead of 20 ms.
 */
const neverScan = "-c enable_seqscan=off";
/** Compiling a plan takes longer than any statement here; a server that estimates badly would do it for each of them. */
const neverCompile = "-c jit=off";
/** Every answer has to be in UTC in the end. */
const inUtc = "-c timezone=UTC";

export function openDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMs = usualTimeoutMs } = options;
  const pool = new pg.Pool({
    Client: rateLimitedClient(options.poolSize * 2),
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + silenceMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    options: `${neverScan} ${neverCompile} ${inUtc} ${tcpKeepalive}`,
    // What is not awaited is sent at once; `runBehind` makes use of it.
    pipeline: true,
    types: { getTypeParser },
  });
  // Without a listener an idle connection that the server closes would end the process.
  pool.on("error", options.onIdleError);

  return {
    query: (statement) => (statement.changesSends ? runInOneSnapshot(pool, statement) : run(pool, statement)),
    forAccount: (accountId) => ({ accountId, query: (statement) => runForAccount(pool, accountId, statement) }),
    withTransaction: (work) => withTransaction(pool, work),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

async function withTransaction<Result>(pool: pg.Pool, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return withClient(pool, async (client, remember) => {
    try {
      await client.query("begin").catch(translate);
      const result = await work({ inTransaction: true, query: (statement) => run(client, statement) });
      requireCommitted(await client.query("commit").catch(translate));
      return result;
    } catch (error) {
      await client.query("rollback").catch(remember);
      throw error;
    }
  });
}

/** The role is one that every database has; migration 0011 says why this one and what it may do. */
const bindToAccount = {
  name: "bind-to-account",
  text: `
      select set_config('role', 'pg_database_owner', true), set_config('postern.account_id', $1, true)`,
};

function runForAccount<Row>(pool: pg.Pool, accountId: string, statement: Statement): Promise<Row[]> {
  return runBehind(pool, ["begin", { ...bindToAccount, values: [accountId] }], statement);
}

/** With one plan for sets of any size: for small ones PostgreSQL would make a new one each time, which can take as long as they do. */
const inOneSnapshot = "begin isolation level repeatable read; set local plan_cache_mode = force_generic_plan";
/** Among many who want the same rows one gets on with each try, so the others make way a little longer each time. */
const contentionRetryMs = 10_000;
const longestPauseMs = 50;

/**
 * PostgreSQL 18.4 crashes, all sessions with it, when a statement that changes or locks rows of a partitioned table meets a
 * row that another has just changed and prunes partitions while it looks at it again (a null pointer in
 * perform_pruning_base_step): our proof `feedback-order` met it 21 times in a run. In one snapshot it does not look again
 * but fails, and nothing of it is kept; then it is run anew and sees what the other did.
 */
async function runInOneSnapshot<Row>(pool: pg.Pool, statement: Statement): Promise<Row[]> {
  const until = performance.now() + contentionRetryMs;
  for (let tries = 1; ; tries++) {
    try {
      return await runBehind<Row>(pool, [inOneSnapshot], statement);
    } catch (error) {
      if (!isContention(error) || performance.now() > until) throw error;
      if (tries > 1) await sleep(Math.random() * Math.min(longestPauseMs, tries * 2));
    }
  }
}

/** All are sent together and cost one round trip. A failure aborts the transaction, so that what follows it fails too. */
async function runBehind<Row>(
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
    // In this order: behind the first failure stand its consequences.
    outcomeOf(begun);
    const rows = outcomeOf(done);
    requireCommitted(outcomeOf(committed));
    return rows;
  });
}

function outcomeOf<Value>(settled: PromiseSettledResult<Value>): Value {
  return settled.status === "fulfilled" ? settled.value : translate(settled.reason);
}

/** PostgreSQL answers the commit of a failed transaction with ROLLBACK and without an error. */
function requireCommitted({ command }: pg.QueryResult): void {
  if (command !== "COMMIT") throw new Error("a transaction was rolled back because a statement in it failed");
}

async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, remember: (error: Error) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch(translate);
  let broken: Error | undefined;
  // A connection lost between two statements of ours reports itself here; unheard it would end the process.
  const remember = (error: Error) => {
    broken = error;
  };
  client.on("error", remember);
  try {
    return await work(client, remember);
  } catch (error) {
    if (isWithoutAnswer(error)) remember(error);
    throw error;
  } finally {
    client.off("error", remember);
    client.release(broken);
  }
}

/** Such a connection is of no use to whoever waits for one. */
function isWithoutAnswer(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "UNAVAILABLE" && sqlState(error.cause) === undefined;
}

async function run<Row>(client: pg.Pool | pg.PoolClient, statement: Statement): Promise<Row[]> {
  const { name, text, values = [], isPlannedEachTime = false } = statement;
  const result = await client.query(isPlannedEachTime ? { text, values } : { name, text, values }).catch(translate);
  // The row type is the caller's promise about its own SQL; each statement is executed by a test.
  return result.rows as Row[];
}

/** A database that cannot be asked is an outcome callers can act on; everything else is a bug and stays as it is. */
function translate(error: unknown): never {
  if (!isConnectionError(error)) throw error;
  throw new AppError("UNAVAILABLE", "The database cannot be reached at the moment. Try again shortly.", {
    retryAfterSeconds: 2,
    cause: error,
  });
}

/** int8 as a number that is exact or an error, timestamptz as ISO 8601 text in UTC, the rest as `pg` does it. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  if (format === "binary") return pg.types.getTypeParser(oid, "binary");
  if (oid === pg.types.builtins.INT8) return exactInteger;
  if (oid === pg.types.builtins.TIMESTAMPTZ) return isoTimestamp;
  return pg.types.getTypeParser(oid, "text");
}

export function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("an int8 does not fit a JavaScript number");
  return value;
}

/** `infinity` and years beyond 9999 are never stored, so a value that is no date is a bug worth an error. */
export function isoTimestamp(text: string): string {
  // As PostgreSQL writes it in UTC, where cutting it up takes an eighth of the time.
  if (!text.endsWith("+00") || text.charAt(10) !== " ") return new Date(text).toISOString();
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, "0").slice(0, 3)}Z`;
}
