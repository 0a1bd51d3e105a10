import { validateSend } from "../../../accept/validate-send.ts";
import type { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsKeyOrJwt } from "../../http/wire-format.ts";
import { maxSendBytes, modeQuery, readSendBody, requestedMode } from "./send-body.ts";
import { toVerdict, verdictAnswer } from "./send-validate-wire.ts";
import { sendBody } from "./send-wire.ts";

/** Additive to the published interface: the answer that sending would give, and nothing sent, stored or counted. */
export function sendValidateRoute(app: ApiServer, { authenticator, acceptDeps }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.post(
    "/api/v1/send/validate",
    {
      onRequest,
      bodyLimit: maxSendBytes,
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: "validateSend",
        summary: "Try a send without sending",
        description:
          "Takes what `POST /api/v1/send` takes and tells what it would answer, with every problem of the payload, whether " +
          "the domain is verified, who is suppressed and what is left of the rate limits. Nothing is stored or counted.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: modeQuery,
        body: sendBody,
        response: { 200: verdictAnswer, ...errorAnswers(401, 413, 415, 422) },
      },
    },
    async (request) => {
      const { db, mode, credential } = callerOf(request);
      const judgedIn = credential.kind === "jwt" ? requestedMode(request) : mode;
      const reading = readSendBody(request);
      const send = "request" in reading ? reading.request : undefined;
      const problems = "problem" in reading ? problemsOf(reading.problem) : [];
      const deps = { db, fingerprintKey: acceptDeps.fingerprintKey };
      const judgement = await validateSend(deps, judgedIn, send);
      return toVerdict({ request: send, problems, judgement });
    },
  );
}

/** What is wrong with the payload is the verdict; anything else is an answer of its own. */
function problemsOf(problem: AppError) {
  if (problem.code !== "VALIDATION_ERROR" || problem.details === undefined) throw problem;
  return problem.details;
}
