import type { FastifyRequest } from "fastify";
import type { RateUsage } from "../../../accept/accept-batch.ts";
import type { QuotaCost } from "../../../accept/quota-states.ts";
import { validateSend } from "../../../accept/validate-send.ts";
import { AppError } from "../../../errors.ts";
import { recipientsOf, type SendRequest } from "../../../sends/send-request.ts";
import { type Caller, domainOf } from "../../auth/authenticate.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { isSmallBody, type LargeBodyLimit } from "../../http/large-bodies.ts";
import { describeLimits, rateLimitHeaders } from "../../http/rate-limit-headers.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import type { BodyReader } from "./body-reader.ts";
import { requireDomainOfKey } from "./domain-of-key.ts";
import { parseSendBody } from "./parse-send-body.ts";
import { maxSendBytes } from "./read-send-body.ts";
import { sendingModeOf, sendingModeQuery } from "./send-mode.ts";
import { idempotencyHeaders, sendBody } from "./send-request-wire.ts";
import { toValidationResponse, validationResponse } from "./send-validate-wire.ts";

/**
 * An addition to the published interface: returns the result of sending without sending or storing anything. It counts against windows
 * of its own, and its bodies share the memory of those of POST /send.
 */
export function sendValidateRoutes(
  app: ApiServer,
  deps: ApiDeps,
  { largeBodies, reader }: { largeBodies: LargeBodyLimit; reader: BodyReader },
): void {
  const { onRequest: authenticate, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/send/validate",
    {
      onRequest: async (request, reply) => {
        await authenticate(request, reply);
        const caller = callerOf(request);
        const { mode } = modeOf(request, caller);
        const { usage, retryMs } = await deps.countValidation({ accountId: caller.accountId, mode });
        reply.headers(rateLimitHeaders(usage));
        if (retryMs !== undefined) throw overLimit(usage, retryMs);
        largeBodies.admit(request, reply, caller.accountId);
      },
      bodyLimit: maxSendBytes(deps.sendLimits),
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: "validateSend",
        summary: "Validate a send without sending it",
        description:
          "Takes the same request as `POST /api/v1/send` and returns the status it would return, every problem of the payload, " +
          "whether the domain is verified, which recipients are suppressed and what remains of the rate limits and quotas of sends. It stores " +
          "nothing and does not count as a send. The limits of sends apply to validations as well, counted separately; the headers " +
          "show what remains of those.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendingModeQuery,
        headers: idempotencyHeaders,
        body: sendBody,
        response: { 200: validationResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const sending = modeOf(request, caller);
      if (sending.problems.length > 0) throw invalidRequest(sending.problems);
      if (!isSmallBody(request)) await largeBodies.waitForTurn(request);
      const parsed = await parseSendBody(request, reader);
      const send = "request" in parsed ? parsed.request : undefined;
      const problems = "problem" in parsed ? problemsOf(parsed.problem) : [];
      const domain = domainOf(caller);
      requireDomainOfKey({ domain }, send, reply);
      const { fingerprintKeys, quotas } = deps.acceptDeps;
      const fingerprintKey = await fingerprintKeys.of(caller.accountId);
      const validation = await validateSend({ db: caller.db, fingerprintKey }, sending.mode, send);
      const account = { accountId: caller.accountId, mode: sending.mode };
      await quotas.readStale([account]);
      const exceeded = send && quotas.findExceeded(account, estimateCost(send));
      const states = quotas.statesOf(account);
      const isForDomain = domain !== undefined;
      return toValidationResponse({ request: send, problems, validation, quotas: states, exceeded, isForDomain });
    },
  );
}

/** The size of the sealed content is known only after sealing; it is a little larger than bodies and attachments. */
function estimateCost(send: SendRequest): QuotaCost {
  const recipients = recipientsOf(send).length;
  const attachmentBytes = (send.attachments ?? []).reduce((sum, { size }) => sum + size, 0);
  const contentBytes = Buffer.byteLength(send.html ?? "") + Buffer.byteLength(send.text ?? "") + attachmentBytes;
  return { recipients, queuedRecipients: recipients, contentBytes };
}

function modeOf(request: FastifyRequest, { mode, credential }: Caller) {
  return sendingModeOf(request, credential.kind === "jwt" ? undefined : mode);
}

function overLimit(usage: RateUsage, retryMs: number): AppError {
  const retryAfterSeconds = Math.ceil(retryMs / 1000);
  const message = `The account has reached its limit for validations (${describeLimits(usage)}). Send the same request again after ${retryAfterSeconds} s.`;
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds });
}

/** Problems of the payload belong in the response; any other error is the response. */
function problemsOf(problem: AppError) {
  if (problem.code !== "VALIDATION_ERROR" || problem.details === undefined) throw problem;
  return problem.details;
}
