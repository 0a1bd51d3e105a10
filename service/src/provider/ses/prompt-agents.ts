import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { createCautiousClock } from "../../cautious-clock.ts";

/**
 * With the 45 s in which a submission may start (delivery/submit-send.ts), this is shorter than the 60 s of a lease. The SDK gives up
 * earlier: this limit matters only when its timers could not run.
 */
const longestConnectMs = 10_000;

/**
 * Agents that never write to a connection which took too long to establish. After a stall (a stopped process, a paused machine, a blocked
 * event loop), Node may handle a finished connect before the timers that are due, and would write a request whose lease ended long ago:
 * measured, a server received a request 11 s after its deadline.
 */
export function promptAgents(options: AgentOptions, clock = createCautiousClock()) {
  return {
    httpAgent: refuseLate(new HttpAgent(options), clock),
    httpsAgent: refuseLate(new HttpsAgent(options), clock),
  };
}

function refuseLate<Agent extends HttpAgent>(agent: Agent, clock: () => number): Agent {
  const createConnection = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const startedAt = clock();
    const socket = createConnection(options, callback);
    const check = () => {
      if (clock() - startedAt > longestConnectMs) socket?.destroy(new ConnectedTooLate());
    };
    // Node writes the waiting request in a later listener of `connect`, and over TLS after the listeners of `secureConnect`.
    socket?.prependListener("connect", check).prependListener("secureConnect", check);
    return socket;
  };
  return agent;
}

/** Has the fields of a failed connect: nothing was written. */
class ConnectedTooLate extends Error {
  override readonly name = "ConnectedTooLate";
  override readonly message = "the connection was established too late";
  readonly syscall = "connect";
}
