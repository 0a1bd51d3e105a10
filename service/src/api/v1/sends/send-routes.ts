import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { RateUsage } from "../../../accept/accept-batch.ts";
import { type Acceptance, acceptSend, type Sender } from "../../../accept/accept-send.ts";
import { AppError } from "../../../errors.ts";
import { findSend } from "../../../sends/send-store.ts";
import { createSenderGate } from "../../auth/identify-sender.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { describeLimits, rateLimitHeaders } from "../../http/rate-limit-headers.ts";
import { errorAnswers, needsKeyOrJwt } from "../../http/wire-format.ts";
import { maxSendBytes, modeQuery, readSendBody, requestedMode } from "./send-body.ts";
import { sendValidateRoute } from "./send-validate-route.ts";
import { acceptedAnswer, sendBody, sendRecord, toAcceptedAnswer, toSendRecord } from "./send-wire.ts";

export async function sendRoutes(app: ApiServer, deps: ApiDeps): Promise<void> {
  // In a scope of its own, because here the body is read by the handler: a caller who may not send, or not now, must hear
  // that before anything about the body.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    sendRoute(scope.withTypeProvider(), deps);
    sendValidateRoute(scope.withTypeProvider(), deps);
  });
  statusRoute(app, deps);
}

function sendRoute(app: ApiServer, { authenticator, acceptDeps }: ApiDeps): void {
  const gate = createSenderGate(authenticator);
  const senders = new WeakMap<FastifyRequest, Sender>();

  app.post(
    "/api/v1/send",
    {
      bodyLimit: maxSendBytes,
      onRequest: async (request, reply) => {
        const sender = inMode(await gate.identify(request), request);
        senders.set(request, sender);
        const refusal = acceptDeps.refusals.find(sender);
        if (refusal !== undefined) {
          await gate.requireUsable(request, sender);
          throw overLimit(reply, refusal.usage, refusal.retryMs);
        }
        gate.admitBody(request, reply, sender);
      },
      validatorCompiler: () => (value) => ({ value }),
      serializerCompiler: () => (value) => JSON.stringify(value),
      schema: {
        operationId: "send",
        summary: "Send a mail",
        description:
          "Checks the mail, stores it and answers; it is handed over right after. Give an `idempotency_key`, in the body or " +
          "as the header `Idempotency-Key`, and the request can be repeated without sending twice. The order of refusals is " +
          "401, 429, 422, 409, 400. Answers carry `RateLimit-Policy` and `RateLimit`; repeats `Idempotent-Replayed: true`.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: modeQuery,
        body: sendBody,
        response: { 202: acceptedAnswer, ...errorAnswers(400, 401, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const sender = senders.get(request);
      if (sender === undefined) throw new Error("the route ran without the hook that finds its sender");
      const reading = readSendBody(request);
      const payload = "request" in reading ? reading.request : undefined;
      let acceptance = await acceptSend(acceptDeps, sender, payload);
      if (acceptance.kind === "not-allowed") {
        // Says why. Or it counts after all: it was stored under another pepper a moment ago.
        await gate.requireUsable(request, { ...sender, keyHmac: undefined });
        acceptance = await acceptSend(acceptDeps, { ...sender, keyHmac: undefined }, payload);
      }
      if (acceptance.kind === "not-valid" && "problem" in reading) {
        reply.headers(rateLimitHeaders(acceptance.usage));
        throw reading.problem;
      }
      const accepted = acceptedOrThrow(acceptance, reply);
      const { id, status, isRepeat } = accepted;
      reply.facts = { send_id: id, send_status: status, repeat: isRepeat, mode: sender.mode };
      if (isRepeat) reply.header("idempotent-replayed", "true");
      return reply.code(202).send(toAcceptedAnswer(accepted));
    },
  );
}

function acceptedOrThrow(acceptance: Acceptance, reply: FastifyReply) {
  if ("usage" in acceptance && acceptance.usage !== undefined) reply.headers(rateLimitHeaders(acceptance.usage));
  switch (acceptance.kind) {
    case "stored":
    case "repeat":
      return acceptance.accepted;
    case "over-limit":
      throw overLimit(reply, acceptance.usage, acceptance.retryMs);
    case "conflict":
      throw conflict(acceptance.id, acceptance.fields);
    case "domain-not-verified":
      throw new AppError(
        "DOMAIN_NOT_VERIFIED",
        "The domain of from is not verified in this account. Register it at POST /api/v1/domains; " +
          "GET /api/v1/domains/{id} shows its DNS records and what is missing.",
      );
    case "not-allowed":
      throw new AppError("UNAUTHORIZED", "The credential does not count any more.");
    case "not-valid":
      throw new Error("a valid payload was counted as one that is not");
  }
}

function overLimit(reply: FastifyReply, usage: RateUsage, retryMs: number): AppError {
  const retryAfterSeconds = Math.ceil(retryMs / 1000);
  reply.headers(rateLimitHeaders(usage));
  return new AppError(
    "RATE_LIMIT_EXCEEDED",
    `This account may send ${describeLimits(usage)}. Send the same request again after ${retryAfterSeconds} s. ` +
      "The operator can raise the limits with `postern admin set-limits`.",
    { retryAfterSeconds },
  );
}

function conflict(originalId: string, fields: string[]): AppError {
  return new AppError(
    "CONFLICT",
    `The idempotency key was used before for another payload, as send ${originalId}. Different: ${fields.join(", ")}. ` +
      "Use a new key for a new mail.",
    { details: fields.map((field) => ({ field, code: "differs", message: `differs from send ${originalId}` })) },
  );
}

/** A key has its own mode; a JWT sends live mail unless it asks for the other. */
function inMode(sender: Sender, request: FastifyRequest): Sender {
  const isByKey = request.headers["x-api-key"] !== undefined;
  return isByKey ? sender : { ...sender, mode: requestedMode(request) };
}

function statusRoute(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.get(
    "/api/v1/send/:id/status",
    {
      onRequest,
      schema: {
        operationId: "getSendStatus",
        summary: "What became of a send",
        description: "An API key sees the sends of its own mode; a JWT sees live ones, or test ones with `?mode=test`.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: z.object({ id: z.string() }),
        querystring: modeQuery,
        response: { 200: sendRecord, ...errorAnswers(401, 404, 422) },
      },
    },
    async (request) => {
      const { db, mode, credential } = callerOf(request);
      const shown = credential.kind === "jwt" ? (request.query.mode ?? mode) : mode;
      const { id } = request.params;
      const send = z.guid().safeParse(id).success ? await findSend(db, shown, id) : undefined;
      if (send === undefined) throw new AppError("NOT_FOUND", "This account has no send with this id.");
      return toSendRecord(send);
    },
  );
}
