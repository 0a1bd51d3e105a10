import type { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { NoPrimaryError } from "./no-primary-error.ts";
import { postgresClient } from "./postgres-client.ts";
import { sqlState } from "./sql-state.ts";
import { adviceOnTls } from "./tls-refusal.ts";

const secondsPerConnection = 2;
/**
 * A connect that waits occupies a slot of the pool and cannot use a connection that becomes free meanwhile. With a longer
 * wait, requests were delayed for another 15 s after the network had recovered.
 */
const maxWaitMs = 1_000;
const retryMs = 100;
/** The server was not reached, so it has no session for the attempt. */
const unreached = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/**
 * Connection rate limit: a token bucket of `burst` connections, refilled with one every two seconds. A network that breaks
 * connections without telling the server leaves one server session behind per try, and a busy process would use up all
 * sessions of the server within seconds. Beyond the limit requests get a 503.
 *
 * A connection costs a token only when it may have left a session behind. The token is returned when
 * 1. the connection is closed while no answer is awaited,
 * 2. the server was not reached, or refused the connection.
 * A server that was down has lost all sessions, so the bucket is refilled.
 */
export function rateLimitedClient(burst: number): typeof pg.Client {
  let tokens = burst;
  let refilledAt = performance.now();

  function takeToken(): boolean {
    const now = performance.now();
    tokens = Math.min(burst, tokens + (now - refilledAt) / (secondsPerConnection * 1000));
    refilledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  }

  function returnToken(): void {
    tokens = Math.min(burst, tokens + 1);
  }

  return class extends postgresClient() {
    #holdsToken = false;
    #wasEndedByServer = false;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      onServerError(this, (error) => {
        if (endsSession(error)) this.#wasEndedByServer = true;
      });
      // Without an SQL state the connection may be lost on this side only, and the server may keep its session.
      this.on("error", (error) => {
        if (sqlState(error) === undefined && !this.#wasEndedByServer) this.#holdsToken = false;
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (callback === undefined) throw new Error("only a pool opens these connections");
      void this.#connectWithToken(callback);
      return undefined;
    }

    async #connectWithToken(callback: (error: Error) => void): Promise<void> {
      for (const until = performance.now() + maxWaitMs; !takeToken(); await sleep(retryMs)) {
        if (performance.now() < until) continue;
        callback(new Error("Connection terminated by the connection rate limit: too many connections were lost"));
        return;
      }
      this.#holdsToken = true;
      super.connect((error: Error) => {
        if (error && wasDown(error)) tokens = burst;
        else if (error && leavesNoSession(error)) returnToken();
        callback(error);
      });
    }

    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | undefined {
      // While an answer is awaited the connection may be broken, and the server may not receive the close.
      if (this.#holdsToken && (this.#wasEndedByServer || !isAwaitingAnswer(this))) returnToken();
      this.#holdsToken = false;
      if (callback === undefined) return super.end();
      super.end(callback);
      return undefined;
    }
  };
}

/**
 * One statement gets this error; those sent after it only learn that the connection ended. A private field of `pg`; a test fails when `pg`
 * renames it.
 */
function onServerError(client: pg.Client, listener: (error: Error) => void): void {
  const connection: EventEmitter = Reflect.get(client, "connection");
  connection.on("errorMessage", listener);
}

/** Shut down, crash of another backend, or a time limit of the session. */
function endsSession(error: Error): boolean {
  const state = sqlState(error);
  return state?.startsWith("57P") === true || state === "25P03";
}

/** A private field of `pg`; a test fails when `pg` renames it. */
function isAwaitingAnswer(client: pg.Client): boolean {
  const query: unknown = Reflect.get(client, "_activeQuery");
  return query !== null && query !== undefined;
}

/** Nothing listened on the port, or the server was starting up. */
function wasDown(error: Error): boolean {
  return sqlState(error) === "57P03" || ("code" in error && error.code === "ECONNREFUSED");
}

/** The server refused the connection or was not reached. */
function leavesNoSession(error: Error): boolean {
  if (error instanceof NoPrimaryError || adviceOnTls(error) !== undefined) return true;
  return sqlState(error) !== undefined || ("code" in error && unreached.has(String(error.code)));
}
