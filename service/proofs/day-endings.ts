import type { Conclusion } from "./bad-days.ts";

/** What is to be seen of a send after its first attempt. */
export interface Ending {
  status: string;
  errorCode: string | null;
  /** It has the provider's id and the time. */
  isNamed: boolean;
  namesSandbox: boolean;
  /** The row in the queue; null when there is none. */
  state: string | null;
  attempt: number | null;
  /** How much patience was used up. */
  steps: number | null;
  delay: string | null;
  /** What is kept of the attempts. */
  attempts: string | null;
}

/** What the answer means for all others. */
export interface Aftermath {
  hold: string | null;
  isSlowed: boolean;
  isDomainDue: boolean;
  /** How many a second look found to hand over. */
  claimedAgain: number;
}

const final = { isNamed: false, namesSandbox: false, state: null, attempt: null, steps: null, delay: null };
const onItsWay = { status: "queued", errorCode: null, isNamed: false, namesSandbox: false, attempt: 1, steps: 0 };
const failed = (errorCode: string, attempts: string): Ending => ({ ...final, status: "failed", errorCode, attempts });
const givenBack: Ending = { ...onItsWay, state: "ready", delay: null, attempts: "1 try-later" };
const waiting = { ...onItsWay, state: "waiting", steps: 1, delay: "4 to 6 s" };

/** The table of docs/send-lifecycle.md once more, by hand: what becomes of a send, and of one whose patience has ended. */
const endings: Record<Conclusion, [usual: Ending, withoutPatience?: Ending]> = {
  sent: [{ ...final, status: "sent", errorCode: null, isNamed: true, attempts: null }],
  rejected: [failed("PROVIDER_REJECTED", "1 refused")],
  "too-large": [failed("MESSAGE_TOO_LARGE", "1 refused")],
  sandboxed: [{ ...failed("PROVIDER_REJECTED", "1 refused"), namesSandbox: true }],
  domain: [{ ...waiting, attempts: "1 refused" }, failed("DOMAIN_NOT_VERIFIED", "1 refused")],
  throttled: [{ ...onItsWay, state: "waiting", delay: "1 to 3 s", attempts: "1 try-later" }],
  later: [{ ...waiting, attempts: "1 try-later" }, failed("PROVIDER_UNAVAILABLE", "1 try-later")],
  doubt: [{ ...onItsWay, state: "in-doubt", delay: null, attempts: "1 unknown" }],
  quota: [givenBack],
  paused: [givenBack],
  suspended: [givenBack],
  operator: [givenBack],
};

export function expectedEnding(conclusion: Conclusion, { isPatienceOver }: { isPatienceOver: boolean }): Ending {
  const [usual, withoutPatience = usual] = endings[conclusion];
  return isPatienceOver ? withoutPatience : usual;
}

export function expectedAftermath(conclusion: Conclusion): Aftermath {
  const isHold = ["quota", "paused", "suspended", "operator"].includes(conclusion);
  return {
    hold: isHold ? conclusion : null,
    isSlowed: conclusion === "throttled",
    isDomainDue: conclusion === "domain",
    claimedAgain: 0,
  };
}
