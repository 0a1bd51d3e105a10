import { defaultEventOptions } from "../events/event-options.ts";
import { faultAfterRun, faultBeforeRun } from "../faults/apply-fault.ts";
import type { Simulation } from "../simulation.ts";
import type { ApiCall } from "./api-call.ts";
import type { Call, Reply } from "./call.ts";
import { findSignatureProblem } from "./find-signature-problem.ts";

/** How long the simulator delays its answer when it must publish the Send event first. */
const answerDelayMs = 500;

/** Runs an AWS call with the rules that apply to it. The answer leaves only after its changes are written. */
export async function answerApiCall(simulation: Simulation, call: Call, api: ApiCall): Promise<Reply> {
  const problem = api.needsSignature ? findSignatureProblem(call, api.service) : undefined;
  if (problem !== undefined) return api.refuse(problem);
  if (!takeControlToken(simulation, api)) {
    return api.refuse({ status: 429, name: "TooManyRequestsException", message: "Rate exceeded" });
  }
  const { fault, eventOptions = defaultEventOptions } = simulation.rules.apply(api);
  const failure = faultBeforeRun(fault, api, simulation.settings);
  if (failure !== undefined) return failure;
  const reply = await api.run({ eventOptions, fault });
  await simulation.commit.written();
  if (eventOptions.sendBeforeAnswer && reply.status === 200) await wait(answerDelayMs);
  return faultAfterRun(fault, reply, api);
}

/** SES allows one request per second for all operations other than SendEmail. */
function takeControlToken(simulation: Simulation, { service, operation }: ApiCall): boolean {
  const { controlRequestsPerSecond } = simulation.settings;
  if (service !== "ses" || operation === "SendEmail" || controlRequestsPerSecond === 0) return true;
  return simulation.controlRate.take(1, controlRequestsPerSecond, simulation.clock.now());
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
