import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateUsage } from "../../../accept/accept-batch.ts";
import { type Acceptance, acceptSend } from "../../../accept/accept-send.ts";
import type { DifferingFields } from "../../../accept/fingerprint.ts";
import { AppError } from "../../../errors.ts";
import { recipientsOf } from "../../../sends/send-request.ts";
import { createSenderIdentifier, type IdentifiedSender } from "../../auth/authenticate.ts";
import { getCallerAccess } from "../../auth/route-access.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorCatalogue } from "../../http/error-catalogue.ts";
import { createLargeBodyLimit, isSmallBody, type LargeBodyLimit } from "../../http/large-bodies.ts";
import { describeLimits, rateLimitHeaders } from "../../http/rate-limit-headers.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { domainNotVerified } from "./domain-not-verified.ts";
import { isOfOtherDomain, requireDomainOfKey } from "./domain-of-key.ts";
import { maxSendBytes, parseSendBody } from "./parse-send-body.ts";
import { quotaExceeded } from "./quota-exceeded.ts";
import { type SendingMode, sendingModeOf, sendingModeQuery } from "./send-mode.ts";
import { idempotencyHeaders, sendBody } from "./send-request-wire.ts";
import { acceptedResponse, toAcceptedResponse } from "./send-response-wire.ts";
import { sendValidateRoutes } from "./send-validate-routes.ts";

const maxLargePerAccount = 8;

export async function sendRoutes(app: ApiServer, deps: ApiDeps): Promise<void> {
  // A separate scope, because the handlers parse the body themselves: 401 and 429 must precede every error about the body.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    const largeBodies = createLargeBodyLimit({ perOwner: maxLargePerAccount });
    sendRoute(scope.withTypeProvider(), deps, largeBodies);
    sendValidateRoutes(scope.withTypeProvider(), deps, largeBodies);
  });
}

function sendRoute(app: ApiServer, deps: ApiDeps, largeBodies: LargeBodyLimit): void {
  const { senderAuthenticator, acceptDeps, refusalCounts } = deps;
  const { identify, requireValidCredential, noteUse } = createSenderIdentifier(
    senderAuthenticator,
    getCallerAccess("POST", "/api/v1/send"),
  );
  const senders = new WeakMap<FastifyRequest, { sender: IdentifiedSender; sending: SendingMode }>();

  app.post(
    "/api/v1/send",
    {
      bodyLimit: maxSendBytes,
      onRequest: async (request, reply) => {
        // First, because a refusal is cheap only before the key is looked up and the body is read.
        acceptDeps.requireCapacity();
        const identified = await identify(request.headers, { mayTrustMemory: isSmallBody(request) });
        const sending = sendingModeOf(request, identified.apiKeyId === undefined ? undefined : identified.mode);
        const sender = { ...identified, mode: sending.mode };
        senders.set(request, { sender, sending });
        const refusal = acceptDeps.refusals.find(sender);
        if (refusal !== undefined) {
          // Otherwise `identify` has just checked it.
          if (!sender.isChecked) await requireValidCredential(request.headers, sender);
          throw overLimit(reply, refusal.usage, refusal.retryMs);
        }
        largeBodies.admit(request, reply, sender.accountId);
      },
      onError: async (request, _reply, error) => {
        const { accountId, apiKeyId } = senders.get(request)?.sender ?? {};
        if (accountId === undefined || apiKeyId === undefined || !(error instanceof AppError)) return;
        // The others are failures of Postern.
        if (errorCatalogue[error.code].status >= 500) return;
        refusalCounts.count({ accountId, apiKeyId, code: error.code });
      },
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
      const known = senders.get(request);
      if (known === undefined) throw new Error("the handler ran without the hook that identifies the sender");
      const { sender, sending } = known;
      if (!isSmallBody(request)) await largeBodies.waitForTurn(request);
      const parsed = parseSendBody(request, sending.problems);
      const payload = "request" in parsed ? parsed.request : undefined;
      // Such a send only counts against the rate limit, like an invalid one. The accept statement would refuse it without counting it.
      const acceptable = isOfOtherDomain(sender, payload) ? undefined : payload;
      let acceptance = await acceptSend(acceptDeps, sender, acceptable);
      if (acceptance.kind === "not-allowed") {
        // Throws 401 with the reason, unless the key is valid.
        await requireValidCredential(request.headers);
        acceptance = await acceptSend(acceptDeps, sender, acceptable);
      }
      if (acceptance.kind !== "not-allowed") noteUse(sender);
      if (acceptance.kind === "not-valid") requireDomainOfKey(sender, payload, reply);
      if (acceptance.kind === "not-valid" && "problem" in parsed) {
        reply.headers(rateLimitHeaders(acceptance.usage));
        throw parsed.problem;
      }
      const accepted = acceptedOrThrow(acceptance, reply, {
        domain: payload?.from.address.domain ?? "",
        sender,
        recipients: payload === undefined ? 0 : recipientsOf(payload).length,
      });
      const { id, status, isRepeat } = accepted;
      reply.logFields = { send_id: id, send_status: status, repeat: isRepeat, mode: sender.mode };
      if (isRepeat) reply.header("idempotent-replayed", "true");
      return reply.code(202).send(toAcceptedResponse(accepted));
    },
  );
}

function acceptedOrThrow(
  acceptance: Acceptance,
  reply: FastifyReply,
  { domain, sender, recipients }: { domain: string; sender: IdentifiedSender; recipients: number },
) {
  if ("usage" in acceptance && acceptance.usage !== undefined) reply.headers(rateLimitHeaders(acceptance.usage));
  switch (acceptance.kind) {
    case "stored":
    case "repeat":
      return acceptance.accepted;
    case "over-limit":
      throw overLimit(reply, acceptance.usage, acceptance.retryMs);
    case "conflict":
      throw sender.domain === undefined ? conflict(acceptance.id, acceptance.fields) : conflictOfDomainKey();
    case "domain-not-verified":
      throw domainNotVerified(domain, sender.mode);
    case "over-quota":
      throw quotaExceeded(acceptance.quota, sender.mode, recipients);
    case "not-allowed":
      throw new AppError("UNAUTHORIZED", "The credential is no longer valid. Create a new API key or log in again.");
    case "not-valid":
      throw new Error("the accept statement treated a valid payload as an invalid one");
  }
}

function overLimit(reply: FastifyReply, usage: RateUsage, retryMs: number): AppError {
  const retryAfterSeconds = Math.ceil(retryMs / 1000);
  reply.headers(rateLimitHeaders(usage));
  return new AppError(
    "RATE_LIMIT_EXCEEDED",
    `The account has reached its send rate limit (${describeLimits(usage)}). Send the same request again after ${retryAfterSeconds} s. ` +
      "If this happens often, ask the operator of this installation for higher limits.",
    { retryAfterSeconds },
  );
}

/** For a key that the API generated, only a hash of the whole payload is stored, so the fields are unknown. */
function conflict(originalId: string, fields: DifferingFields): AppError {
  const known = fields === "unknown" ? [] : fields;
  return new AppError(
    "CONFLICT",
    `Send ${originalId} already used this idempotency key with a different payload. ` +
      `${known.length === 0 ? "" : `Differing fields: ${known.join(", ")}. `}Use a new key for a new email.`,
    known.length === 0
      ? {}
      : { details: known.map((field) => ({ field, code: "differs", message: `differs from send ${originalId}` })) },
  );
}

/** The other send may be from another domain, of which the key must learn nothing. */
function conflictOfDomainKey(): AppError {
  return new AppError(
    "CONFLICT",
    "A send of this account already used this idempotency key with a different payload. Use a new key for a new email.",
  );
}
