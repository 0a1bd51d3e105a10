import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { sqlState } from "./sql-state.ts";

const secondsForOne = 2;
/**
 * Whoever waits for its turn keeps a place in the pool, so that others share the connections there are. Not for long: it gets
 * none of those meanwhile, and after a broken network those who waited held everything up for another quarter of a minute.
 */
const longestWaitMs = 1_000;
const lookAgainMs = 100;
/** Nobody was reached, so nothing is left behind. */
const unreached = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/**
 * By default a server keeps the session of a client that the network took away for two hours, and what it locked with it.
 * So it asks after half a minute whether we are still there.
 */
export const tcpKeepalive = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4";

/**
 * Connections that are opened at a pace when they keep being lost: so many at once, then one every two seconds. Over a
 * network that breaks each connection without telling the server every try leaves a session behind, and a busy process would
 * use up all the server has within seconds, for itself and for others. What is not opened is answered with 503 and comes
 * again. One that is closed as it should be costs nothing, and a server that was down has forgotten all sessions.
 */
export function rateLimitedClient(burst: number): typeof pg.Client {
  let free = burst;
  let countedAt = performance.now();

  function take(): boolean {
    const now = performance.now();
    free = Math.min(burst, free + (now - countedAt) / (secondsForOne * 1000));
    countedAt = now;
    if (free < 1) return false;
    free -= 1;
    return true;
  }

  return class extends pg.Client {
    #isCounted = false;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // It may have been lost on our side only.
      this.on("error", (error) => {
        if (sqlState(error) === undefined) this.#isCounted = false;
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (callback === undefined) throw new Error("only a pool opens these connections");
      void this.#connectInTurn(callback);
      return undefined;
    }

    async #connectInTurn(callback: (error: Error) => void): Promise<void> {
      for (const until = performance.now() + longestWaitMs; !take(); await sleep(lookAgainMs)) {
        if (performance.now() < until) continue;
        callback(new Error("Connection terminated before it began: too many were lost lately"));
        return;
      }
      this.#isCounted = true;
      super.connect((error: Error) => {
        if (error && wasDown(error)) free = burst;
        else if (error && leavesNothing(error)) giveBack();
        callback(error);
      });
    }

    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | undefined {
      // While an answer is awaited nobody knows whether our farewell arrives.
      if (this.#isCounted && !isAwaitingAnswer(this)) giveBack();
      this.#isCounted = false;
      if (callback === undefined) return super.end();
      super.end(callback);
      return undefined;
    }
  };

  function giveBack(): void {
    free = Math.min(burst, free + 1);
  }
}

/** pg does not publish it; a test notices when it is called otherwise. */
function isAwaitingAnswer(client: pg.Client): boolean {
  const query: unknown = Reflect.get(client, "_activeQuery");
  return query !== null && query !== undefined;
}

/** Nobody listened, or it was just starting up. */
function wasDown(error: Error): boolean {
  return sqlState(error) === "57P03" || ("code" in error && error.code === "ECONNREFUSED");
}

/** The server answered that it will not have us, or was not reached. */
function leavesNothing(error: Error): boolean {
  return sqlState(error) !== undefined || ("code" in error && unreached.has(String(error.code)));
}
