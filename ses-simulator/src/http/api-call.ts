import type { EventOptions } from "../events/event-options.ts";
import type { Fault } from "../faults/fault.ts";
import type { Failure, Reply } from "./call.ts";

/** A request that one of the three services has recognised as its operation and has not run yet. */
export interface ApiCall {
  service: "ses" | "sns" | "sqs";
  operation: string;
  /** The members of the request, for rules that match recipients or tags. */
  body: Record<string, unknown>;
  /** False only for links in messages. */
  needsSignature: boolean;
  run(options: RunOptions): Reply | Promise<Reply>;
  /** Formats a failure in this service's protocol. */
  refuse(failure: Failure): Reply;
}

/** The effects of the rules that apply to a call. */
interface RunOptions {
  eventOptions: EventOptions;
  fault: Fault | undefined;
}
