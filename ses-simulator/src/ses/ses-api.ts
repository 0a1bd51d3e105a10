import type { ApiCall } from "../http/api-call.ts";
import { type Call, type Failure, json, type Reply } from "../http/call.ts";
import type { Simulation } from "../simulation.ts";
import { isObject, type Json } from "./read-json.ts";
import { badRequest, SesError } from "./ses-error.ts";
import { findOperation } from "./ses-operations.ts";

/** SES handles every path under /v2/email, including unknown ones. */
export function sesCall(simulation: Simulation, call: Call): ApiCall | undefined {
  if (!call.path.startsWith("/v2/email")) return undefined;
  const found = findOperation(call.method, call.path);
  const body = parseBody(call.body);
  return {
    service: "ses",
    operation: found?.operation ?? "UnknownOperation",
    body: body ?? {},
    needsSignature: true,
    refuse: (failure) => refuse(call, failure),
    run({ eventOptions }): Reply {
      try {
        if (found === undefined)
          throw new SesError("UnknownOperationException", `${call.method} ${call.path} is not simulated.`);
        if (body === undefined) throw badRequest("The request body is not a JSON object.");
        const request = { params: found.params, query: call.query, body, requestId: call.requestId };
        return json(200, found.run(simulation, request, eventOptions), { "x-amzn-requestid": call.requestId });
      } catch (error) {
        if (error instanceof SesError) return refuse(call, error);
        throw error;
      }
    },
  };
}

function refuse(call: Call, { status, name, message }: Failure): Reply {
  return json(status, { message }, { "x-amzn-errortype": name, "x-amzn-requestid": call.requestId });
}

function parseBody(body: Buffer): Json | undefined {
  if (body.length === 0) return {};
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
