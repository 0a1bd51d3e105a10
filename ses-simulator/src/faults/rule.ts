import type { Outcome } from "../events/outcome.ts";
import type { EventType } from "../events/planned-event.ts";
import type { Fault } from "./fault.ts";

/** When it applies (operation, match, skip, times, probability), and what it does (fault, events, outcome). */
export interface Rule {
  id: string;
  /** An operation such as `SendEmail` or `ReceiveMessage`; `*` is every one. */
  operation: string;
  match: Match;
  /** Lets this many matching requests pass first. */
  skip: number;
  /** Applies so often and then no more. */
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
  /** 0 to 8, or drawn anew for every event. */
  copies?: number | "random";
  delaySeconds?: number;
  recipients?: "by-domain" | "together" | "one-by-one";
  lost?: EventType[];
}
