import type { Outcome } from "../events/outcome.ts";
import type { EventType } from "../events/planned-event.ts";
import type { Fault } from "./fault.ts";

/** A rule says when it applies (operation, match, skip, times, probability) and what it changes (fault, events, outcome). */
export interface Rule {
  id: string;
  /** An operation such as `SendEmail` or `ReceiveMessage`; `*` matches every operation. */
  operation: string;
  match: Match;
  /** The number of matching requests to leave unchanged before the rule applies. */
  skip: number;
  /** The maximum number of times the rule applies. */
  times: number;
  probability: number;
  seed: number;
  fault?: Fault;
  events?: EventRule;
  outcome?: Outcome;
}

export interface Match {
  recipient?: string;
  fromDomain?: string;
  tag?: { name: string; value?: string };
}

export interface EventRule {
  sendBeforeAnswer?: boolean;
  deliveryBeforeSend?: boolean;
  /** 0 to 8, or a random number for each event. */
  copies?: number | "random";
  delaySeconds?: number;
  recipients?: "by-domain" | "together" | "one-by-one";
  lost?: EventType[];
}
