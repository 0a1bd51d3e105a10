import type { Network } from "./address-bytes.ts";
import { type CheckedUrl, checkUrl, type UrlRules } from "./check-url.ts";
import { createDestinationSlots } from "./destination-slots.ts";
import { busyText, failureText, lateText, type Stage, statusText } from "./failure-text.ts";
import { openConnection, secureConnection, UnreachableError } from "./open-connection.ts";
import { readAnswer, retryAfterSeconds } from "./read-answer.ts";
import { requestOver } from "./request-over.ts";
import { type AddressResolver, resolveTarget } from "./resolve-target.ts";
import { networksOf, type TargetAddress } from "./target-address.ts";

export interface OutboundRequest {
  /** Accounts share the capacity of a destination fairly. */
  accountId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** CIDRs that the operator allowed to this account. */
  allowedNetworks: readonly string[];
}

export interface OutboundAnswer {
  /** Without the wait for other requests to the same address. */
  durationMs: number;
  status: number | undefined;
  /** At most 16 KiB. Undefined for an address in a network that the operator allowed: the customer must not read what is there. */
  answer: string | undefined;
  /** For the customer, in words. Undefined for a status of 200 to 299. */
  failure: string | undefined;
  retryAfterSeconds: number | undefined;
  /** Postern sent nothing, because the address was busy: not the fault of the endpoint. */
  isBusy?: true;
}

export interface Outbound {
  /** Never rejects, and ends within 15 seconds, whatever the endpoint does. */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Waits for the requests in flight. */
  close(): Promise<void>;
}

interface OutboundOptions extends Pick<UrlRules, "ports" | "allowsHttp"> {
  resolver: AddressResolver;
  timeoutMs?: number;
}

type Outcome = Partial<OutboundAnswer>;

/** One attempt. It notes how far it came, so that a failure can say what did not work. */
interface Attempt {
  request: OutboundRequest;
  target: CheckedUrl;
  allowed: readonly Network[];
  signal: AbortSignal;
  stage: Stage;
  waitedMs: number;
  received: Pick<Outcome, "status" | "retryAfterSeconds">;
}

const maxAddresses = 6;
/** How long an address may take to accept a connection while there are others to try. */
const connectMs = 4_000;

/**
 * Posts to URLs that customers chose, without giving them a way into the network of the operator. Every attempt has its own connection: to
 * an address that was checked after its resolution, and that is checked again on the connected socket before the first byte. Nothing reads
 * proxies from the environment, and no redirect is followed.
 */
export function openOutbound({ resolver, timeoutMs = 15_000, ...rules }: OutboundOptions): Outbound {
  // The endpoint gets the rest of the time: DNS takes a third at most.
  const slots = createDestinationSlots(timeoutMs / 3);
  const running = new Set<Promise<OutboundAnswer>>();

  async function post(request: OutboundRequest): Promise<OutboundAnswer> {
    const startedAt = performance.now();
    const { allowedNetworks } = request;
    const target = checkUrl(request.url, { ...rules, allowedNetworks });
    if ("problem" in target) return answerOf({ failure: target.problem }, 0);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const { signal } = deadline;
    const allowed = networksOf(allowedNetworks);
    const attempt: Attempt = { request, target, allowed, signal, stage: "look-up", waitedMs: 0, received: {} };
    const outcome = await beforeEnd(signal, run(attempt)).catch((error: unknown) => failed(attempt, error));
    clearTimeout(timer);
    return answerOf(outcome, performance.now() - startedAt - attempt.waitedMs);
  }

  async function run(attempt: Attempt): Promise<Outcome> {
    const resolved = await resolveTarget(resolver, attempt.target.host, attempt.allowed);
    if ("failure" in resolved) return resolved;
    const addresses = resolved.addresses.slice(0, maxAddresses);
    for (const address of addresses.slice(0, -1)) {
      try {
        return await postTo(attempt, address, connectMs);
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
      }
    }
    const last = addresses.at(-1);
    if (last === undefined) throw new Error("a name that was resolved has an address");
    return postTo(attempt, last);
  }

  function postTo(attempt: Attempt, address: TargetAddress, maxConnectMs?: number): Promise<Outcome> {
    const waitsSince = performance.now();
    attempt.stage = "wait";
    return slots.run(address.text, attempt.request.accountId, () => {
      attempt.waitedMs += performance.now() - waitsSince;
      return postOverNewConnection(attempt, address, maxConnectMs);
    });
  }

  function failed({ signal, stage, received }: Attempt, error: unknown): Outcome {
    if (stage === "wait") return { failure: busyText, isBusy: true };
    return { ...received, failure: signal.aborted ? lateText(stage, timeoutMs) : failureText(stage, error) };
  }

  return {
    post(request) {
      const answer = post(request);
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    async close() {
      await Promise.allSettled(running);
    },
  };
}

async function postOverNewConnection(
  attempt: Attempt,
  address: TargetAddress,
  maxConnectMs?: number,
): Promise<Outcome> {
  const { request, target, allowed, signal } = attempt;
  const connectSignal =
    maxConnectMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(maxConnectMs)]);
  attempt.stage = "connect";
  const socket = await openConnection({ address, port: target.port, allowed, signal: connectSignal });
  try {
    attempt.stage = "handshake";
    const connection = target.url.protocol === "https:" ? await secureConnection(socket, target.host, signal) : socket;
    attempt.stage = "request";
    const response = await requestOver(connection, { ...request, url: target.url, signal });
    attempt.stage = "answer";
    const status = response.statusCode ?? 0;
    attempt.received = { status, retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"]) };
    const answer = await readAnswer(response);
    return { ...attempt.received, failure: statusText(status), answer: address.isAllowed ? undefined : answer };
  } finally {
    socket.destroy();
  }
}

/** Rejects at the deadline. The work ends by itself, because it has the same signal. */
function beforeEnd<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(new Error("the deadline has passed")), { once: true });
  return Promise.race([work, promise]);
}

function answerOf(outcome: Outcome, durationMs: number): OutboundAnswer {
  return {
    status: undefined,
    answer: undefined,
    failure: undefined,
    retryAfterSeconds: undefined,
    ...outcome,
    durationMs: Math.round(durationMs),
  };
}
