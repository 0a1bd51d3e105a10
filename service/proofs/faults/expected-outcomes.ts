import type { Outcome } from "./fault-cases.ts";

/** The stored state of a send after its first attempt. */
export interface SendState {
  status: string;
  errorCode: string | null;
  /** The send has the provider's message id and `sent_at`. */
  hasMessageId: boolean;
  mentionsSandbox: boolean;
  /** The state in the queue; null without a queue row. */
  state: string | null;
  attempt: number | null;
  /** The backoff step, which counts retries against the retry window. */
  backoffStep: number | null;
  delay: string | null;
  /** The stored attempts as `<attempt> <outcome>`. */
  attempts: string | null;
}

/** The effects of the answer beyond its own send. */
export interface Effects {
  hold: string | null;
  isSlowed: boolean;
  isDomainDue: boolean;
  isDomainDenied: boolean;
  /** The number of sends that a second run of the delivery loop claims. */
  claimedAgain: number;
}

const settled = {
  hasMessageId: false,
  mentionsSandbox: false,
  state: null,
  attempt: null,
  backoffStep: null,
  delay: null,
};
const queued = {
  status: "queued",
  errorCode: null,
  hasMessageId: false,
  mentionsSandbox: false,
  attempt: 1,
  backoffStep: 0,
};
const failed = (errorCode: string, attempts: string): SendState => ({
  ...settled,
  status: "failed",
  errorCode,
  attempts,
});
const returnedToQueue: SendState = { ...queued, state: "ready", delay: null, attempts: "1 try-later" };
const waiting = { ...queued, state: "waiting", backoffStep: 1, delay: "4 to 6 s" };

/** The table of docs/send-lifecycle.md, written independently: the state of a send, and of one whose retry window is over. */
const sendStates: Record<Outcome, [normal: SendState, afterRetryWindow?: SendState]> = {
  sent: [{ ...settled, status: "sent", errorCode: null, hasMessageId: true, attempts: null }],
  rejected: [failed("PROVIDER_REJECTED", "1 refused")],
  "too-large": [failed("MESSAGE_TOO_LARGE", "1 refused")],
  sandboxed: [{ ...failed("PROVIDER_REJECTED", "1 refused"), mentionsSandbox: true }],
  domain: [{ ...waiting, attempts: "1 refused" }, failed("DOMAIN_NOT_VERIFIED", "1 refused")],
  throttled: [{ ...queued, state: "waiting", delay: "1 to 3 s", attempts: "1 try-later" }],
  "try-later": [{ ...waiting, attempts: "1 try-later" }, failed("PROVIDER_UNAVAILABLE", "1 try-later")],
  "in-doubt": [{ ...queued, state: "in-doubt", delay: null, attempts: "1 unknown" }],
  quota: [returnedToQueue],
  paused: [returnedToQueue],
  suspended: [returnedToQueue],
  operator: [returnedToQueue],
  denied: [{ ...queued, state: "parked", delay: null, attempts: "1 try-later" }],
};

export function expectedSendState(outcome: Outcome, { isRetryWindowOver }: { isRetryWindowOver: boolean }): SendState {
  const [normal, afterRetryWindow = normal] = sendStates[outcome];
  return isRetryWindowOver ? afterRetryWindow : normal;
}

export function expectedEffects(outcome: Outcome): Effects {
  const isHold = ["quota", "paused", "suspended", "operator"].includes(outcome);
  return {
    hold: isHold ? outcome : null,
    isSlowed: outcome === "throttled",
    isDomainDue: outcome === "domain",
    isDomainDenied: outcome === "denied",
    claimedAgain: 0,
  };
}
