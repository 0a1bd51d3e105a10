import { validateSend } from "../../../accept/validate-send.ts";
import type { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { maxSendBytes, parseSendBody } from "./parse-send-body.ts";
import { sendingModeOf, sendingModeQuery } from "./send-mode.ts";
import { idempotencyHeaders, sendBody } from "./send-request-wire.ts";
import { toValidationResponse, validationResponse } from "./send-validate-wire.ts";

/** An addition to the published interface: returns the result of sending without sending, storing or counting anything. */
export function sendValidateRoutes(app: ApiServer, { authenticator, acceptDeps }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.post(
    "/api/v1/send/validate",
    {
      onRequest,
      bodyLimit: maxSendBytes,
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: "validateSend",
        summary: "Validate a send without sending it",
        description:
          "Takes the same request as `POST /api/v1/send` and returns the status it would return, every problem of the payload, " +
          "whether the domain is verified, which recipients are suppressed and what remains of the rate limits. It stores and " +
          "counts nothing.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendingModeQuery,
        headers: idempotencyHeaders,
        body: sendBody,
        response: { 200: validationResponse, ...errorResponses(401, 413, 415, 422) },
      },
    },
    async (request) => {
      const { db, mode, credential } = callerOf(request);
      const sending = sendingModeOf(request, credential.kind === "jwt" ? undefined : mode);
      if (sending.problems.length > 0) throw invalidRequest(sending.problems);
      const parsed = parseSendBody(request);
      const send = "request" in parsed ? parsed.request : undefined;
      const problems = "problem" in parsed ? problemsOf(parsed.problem) : [];
      const deps = { db, fingerprintKey: acceptDeps.fingerprintKey };
      const validation = await validateSend(deps, sending.mode, send);
      return toValidationResponse({ request: send, problems, validation });
    },
  );
}

/** Problems of the payload belong in the response; any other error is the response. */
function problemsOf(problem: AppError) {
  if (problem.code !== "VALIDATION_ERROR" || problem.details === undefined) throw problem;
  return problem.details;
}
