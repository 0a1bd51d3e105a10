import type { DecodedPacket } from "dns-packet";
import { type DnsQuestion, type DnsServerAddress, exchangeMessage } from "./exchange-message.ts";
import { codeOf } from "./read-answer.ts";

export type AskServer = (
  server: DnsServerAddress,
  question: DnsQuestion,
  isRecursive: boolean,
) => Promise<DecodedPacket | undefined>;

/** At most this many questions of one look wait for an answer at the same time. */
const maxConcurrent = 8;
const serverFailure = 2;

/** Returns the function that asks within the deadline of one look; undefined is no valid answer in time. */
export function createAskServer(signal: AbortSignal): AskServer {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (server, question, isRecursive) => {
    if (running >= maxConcurrent) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await exchangeMessage(server, question, { isRecursive, signal });
    } finally {
      // The next one takes over the count.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Asks the resolvers in their order until one answers with more than a failure. */
export async function askResolvers(
  askServer: AskServer,
  resolvers: DnsServerAddress[],
  question: DnsQuestion,
): Promise<DecodedPacket | undefined> {
  let last: DecodedPacket | undefined;
  for (const resolver of resolvers.slice(0, maxResolvers)) {
    last = (await askServer(resolver, question, true)) ?? last;
    if (last !== undefined && codeOf(last) !== serverFailure) return last;
  }
  return last;
}

const maxResolvers = 2;
