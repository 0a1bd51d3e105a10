import { usualManner } from "../events/event-manner.ts";
import { replyAfter, replyBefore } from "../faults/treat-reply.ts";
import type { Simulation } from "../simulation.ts";
import type { ApiCall } from "./api-call.ts";
import type { Call, Reply } from "./call.ts";
import { problemWithSignature } from "./require-signature.ts";

/** How long an answer is held back when its Send event must be out first. */
const holdAnswerMs = 500;

/** What AWS does with a request, good day or bad. No answer leaves before what it promises is written. */
export async function answerApiCall(simulation: Simulation, call: Call, api: ApiCall): Promise<Reply> {
  const unsigned = api.needsSignature ? problemWithSignature(call, api.service) : undefined;
  if (unsigned !== undefined) return api.refuse(unsigned);
  if (!takeControlPermit(simulation, api)) {
    return api.refuse({ status: 429, name: "TooManyRequestsException", message: "Rate exceeded" });
  }
  const { fault, manner = usualManner } = simulation.rules.pick(api);
  const early = replyBefore(fault, api);
  if (early !== undefined) return early;
  const reply = await api.run({ manner, fault });
  await simulation.commit.written();
  if (manner.sendBeforeAnswer && reply.status === 200) await wait(holdAnswerMs);
  return replyAfter(fault, reply, api);
}

/** SES allows one request a second for everything that is not a send. */
function takeControlPermit(simulation: Simulation, { service, operation }: ApiCall): boolean {
  const { controlRequestsPerSecond } = simulation.settings;
  if (service !== "ses" || operation === "SendEmail" || controlRequestsPerSecond === 0) return true;
  return simulation.controlRate.take(1, controlRequestsPerSecond, simulation.clock.now());
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
