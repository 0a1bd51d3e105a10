import type { FastifyRequest } from "fastify";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { createLargeBodyLimit, isSmallBody, type LargeBodyLimit } from "../../http/large-bodies.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { type BodyReader, createBodyReader } from "./body-reader.ts";
import { isOfOtherDomain, requireDomainOfKey } from "./domain-of-key.ts";
import { largeSendBytes } from "./large-send-bytes.ts";
import { parseSendBody } from "./parse-send-body.ts";
import { maxSendBytes } from "./read-send-body.ts";
import { sendBatchRoutes } from "./send-batch-routes.ts";
import { sendingModeQuery } from "./send-mode.ts";
import { refusalOf } from "./send-refusal.ts";
import { idempotencyHeaders, sendBody } from "./send-request-wire.ts";
import { acceptedResponse, toAcceptedResponse } from "./send-response-wire.ts";
import { sendValidateRoutes } from "./send-validate-routes.ts";
import { createSenderGate, type SenderGate } from "./sender-gate.ts";

export async function sendRoutes(app: ApiServer, deps: ApiDeps): Promise<void> {
  // A separate scope, because the handlers parse the body themselves: 401 and 429 must precede every error about the body.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    const largeBodies = createLargeBodyLimit(largeSendBytes(deps.sendLimits));
    const reader = createBodyReader(deps.sendLimits);
    const gate = createSenderGate(deps, largeBodies);
    sendRoute(scope.withTypeProvider(), deps, { gate, largeBodies, reader });
    sendBatchRoutes(scope.withTypeProvider(), deps, { gate, largeBodies });
    sendValidateRoutes(scope.withTypeProvider(), deps, { largeBodies, reader });
  });
}

function sendRoute(
  app: ApiServer,
  { sendLimits }: ApiDeps,
  { gate, largeBodies, reader }: { gate: SenderGate; largeBodies: LargeBodyLimit; reader: BodyReader },
): void {
  app.post(
    "/api/v1/send",
    {
      bodyLimit: maxSendBytes(sendLimits),
      onRequest: gate.onRequest,
      onError: gate.onError,
      validatorCompiler: () => (value) => ({ value }),
      serializerCompiler: () => (value) => JSON.stringify(value),
      schema: {
        operationId: "send",
        summary: "Send an email",
        description:
          "Validates and stores the send, then returns; a worker submits it to the provider right after. With an " +
          "`idempotency_key` in the body or an `Idempotency-Key` header, repeating the request does not send twice. Errors are " +
          "checked in the order 401, 429 `RATE_LIMIT_EXCEEDED`, 422, 409, 400, 429 `QUOTA_EXCEEDED`.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendingModeQuery,
        headers: idempotencyHeaders,
        body: sendBody,
        response: { 202: acceptedResponse, ...errorResponses(400, 401, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const { sender, sending } = gate.callerOf(request);
      if (!isSmallBody(request)) await largeBodies.waitForTurn(request);
      const parsed = await parseSendBody(request, reader, sending.problems);
      releaseBody(request);
      const payload = "request" in parsed ? parsed.request : undefined;
      // Such a send only counts against the rate limit, like an invalid one. The accept statement would refuse it without counting it.
      const acceptable = isOfOtherDomain(sender, payload) ? undefined : payload;
      const [acceptance] = await gate.accept(request, reply, [acceptable]);
      if (acceptance === undefined) throw new Error("the accept statement returned no decision");
      if (acceptance.kind === "not-valid") requireDomainOfKey(sender, payload, reply);
      if (acceptance.kind === "not-valid" && "problem" in parsed) throw parsed.problem;
      if (!("accepted" in acceptance)) throw refusalOf(acceptance, sender, payload);
      const { accepted } = acceptance;
      const { id, status, isRepeat } = accepted;
      reply.logFields = { send_id: id, send_status: status, repeat: isRepeat, mode: sender.mode };
      if (isRepeat) reply.header("idempotent-replayed", "true");
      return reply.code(202).send(toAcceptedResponse(accepted));
    },
  );
}

/** The attachments are decoded by now, and storing them takes a while. */
function releaseBody(request: FastifyRequest): void {
  request.body = undefined;
}
