import { verifyWebhook } from "../../../sdk/src/verify-webhook.ts";
import type { Dice } from "../seeded-random.ts";
import type { Answer, WebhookRequest } from "./loopback-receiver.ts";

/** What arrived at one endpoint. */
export interface Arrivals {
  /** The bodies that were answered with 200 by id, in the order of arrival. */
  accepted: Map<string, Buffer[]>;
  /** Also those that were answered with an error. */
  requests: number;
  unverified: number;
  failed: { status500: number; closed: number; hung: number };
  last: WebhookRequest | undefined;
}

export function noArrivals(): Arrivals {
  const failed = { status500: 0, closed: 0, hung: 0 };
  return { accepted: new Map(), requests: 0, unverified: 0, failed, last: undefined };
}

const failingPercent = 30;
/** Eleven failures end a delivery, which is right and no loss. So a receiver fails at most this often for one id. */
const maxFailures = 5;

interface FailingOptions {
  dice: Dice;
  secret: () => string;
  /** The number of requests that it never answers. Each takes 15 s of the endpoint's time, so there are few. */
  hangs: number;
}

/** Verifies every request, answers 30 % of them with an error, a closed connection or not at all, and notes the rest. */
export function failingReceiver(arrivals: Arrivals, { dice, secret, hangs }: FailingOptions): Answer {
  const failures = new Map<string, number>();
  return (request, response) => {
    arrivals.requests += 1;
    const failed = failures.get(request.id) ?? 0;
    if (dice.roll(100) < failingPercent && failed < maxFailures) {
      failures.set(request.id, failed + 1);
      if (arrivals.failed.hung < hangs) {
        arrivals.failed.hung += 1;
      } else if (dice.roll(2) === 0) {
        arrivals.failed.closed += 1;
        response.destroy();
      } else {
        arrivals.failed.status500 += 1;
        response.writeHead(500).end("The receiver fails.");
      }
      return;
    }
    void accept(arrivals, request, secret()).then((isAccepted) => response.writeHead(isAccepted ? 200 : 400).end());
  };
}

export async function accept(arrivals: Arrivals, request: WebhookRequest, secret: string): Promise<boolean> {
  try {
    await verifyWebhook(request.body, request.headers, secret);
  } catch {
    arrivals.unverified += 1;
    return false;
  }
  arrivals.last = request;
  arrivals.accepted.set(request.id, [...(arrivals.accepted.get(request.id) ?? []), request.body]);
  return true;
}

interface Comparison {
  missing: number;
  /** Ids that nobody sent, and arrivals with other bytes than the stored envelope. */
  different: number;
  duplicates: number;
}

/** `envelopes`: what every endpoint must have, by id. */
export function compareArrivals(envelopes: Map<string, string>, { accepted }: Arrivals): Comparison {
  const bodies = [...accepted].flatMap(([id, ones]) => ones.map((body) => ({ id, body })));
  return {
    missing: [...envelopes.keys()].filter((id) => !accepted.has(id)).length,
    different: bodies.filter(({ id, body }) => !body.equals(Buffer.from(envelopes.get(id) ?? ""))).length,
    duplicates: bodies.length - accepted.size,
  };
}
