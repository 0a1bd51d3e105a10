import type { EventManner } from "../events/event-manner.ts";
import type { Fault } from "../faults/fault.ts";
import type { Failure, Reply } from "./call.ts";

/** A request recognised as an operation of one of the three services, before anything is done about it. */
export interface ApiCall {
  service: "ses" | "sns" | "sqs";
  operation: string;
  /** The members of the request, for rules that look at recipients or tags. */
  body: Record<string, unknown>;
  /** Links carry no signature; everything else must. */
  needsSignature: boolean;
  run(circumstances: Circumstances): Reply | Promise<Reply>;
  /** A failure in the words of this service's protocol. */
  refuse(failure: Failure): Reply;
}

export interface Circumstances {
  manner: EventManner;
  fault: Fault | undefined;
}
