import { answerControlCall } from "../control/control-routes.ts";
import { answerViewCall } from "../mail-view/view-routes.ts";
import { sesCall } from "../ses/ses-api.ts";
import type { Simulation } from "../simulation.ts";
import { snsCall } from "../sns/sns-api.ts";
import { sqsCall } from "../sqs/sqs-api.ts";
import { answerApiCall } from "./answer-api-call.ts";
import type { Call, Reply } from "./call.ts";

/** One port serves the three services, the signing certificate, the control API and the mail view. */
export async function routeCall(simulation: Simulation, call: Call): Promise<Reply> {
  const api = sesCall(simulation, call) ?? sqsCall(simulation, call) ?? snsCall(simulation, call);
  if (api !== undefined) return answerApiCall(simulation, call, api);
  if (call.path === simulation.signing.path) {
    return { status: 200, headers: { "content-type": "application/x-pem-file" }, body: simulation.signing.certificate };
  }
  if (call.path.startsWith("/_simulator/")) return answerControlCall(simulation, call);
  return answerViewCall(call) ?? { status: 404, headers: { "content-type": "text/plain" }, body: "Not found.\n" };
}
