import type { Acceptance, Accepted } from "../../../accept/accept-send.ts";
import type { Unknown } from "../../../accept/decide-or-find.ts";
import { AppError } from "../../../errors.ts";
import type { IdentifiedSender } from "../../auth/authenticate.ts";
import { otherDomain } from "../../auth/unauthorized.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorBody } from "../../http/error-response.ts";
import { isSmallBody, type LargeBodyLimit } from "../../http/large-bodies.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { isOfOtherDomain } from "./domain-of-key.ts";
import { type ParsedMail, parseBatchBody } from "./parse-batch-body.ts";
import { maxPlainBytes } from "./read-send-body.ts";
import { batchBody, batchHeaders, batchResponse, refusedBatch, toVerdict } from "./send-batch-wire.ts";
import { sendingModeQuery } from "./send-mode.ts";
import { refusalOf } from "./send-refusal.ts";
import type { SenderGate } from "./sender-gate.ts";

/** An addition to the published interface: up to 100 mails in one request and one commit, each with a verdict of its own. */
export function sendBatchRoutes(
  app: ApiServer,
  { http: { publicUrl }, sendLimits }: ApiDeps,
  { gate, largeBodies }: { gate: SenderGate; largeBodies: LargeBodyLimit },
): void {
  app.post(
    "/api/v1/send/batch",
    {
      bodyLimit: maxPlainBytes,
      onRequest: gate.onRequest,
      onError: gate.onError,
      validatorCompiler: () => (value) => ({ value }),
      serializerCompiler: () => (value) => JSON.stringify(value),
      schema: {
        operationId: "sendBatch",
        summary: "Send up to 100 emails",
        description:
          "Each mail gets the verdict that `POST /api/v1/send` would return, in the order of `mails`: a mail that is refused does not " +
          "stop the others. 202 when at least one mail was accepted, otherwise 422 with the verdicts. The batch counts as one request " +
          "for the rate limit; quotas and the order of the queue count the recipients of all mails. With an `idempotency_key` for each " +
          "mail or an `Idempotency-Key` header for all, repeating the request does not send twice; a key that occurs twice in a batch " +
          "is a repeat, or 409 when the payloads differ.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendingModeQuery,
        headers: batchHeaders,
        body: batchBody,
        response: {
          202: batchResponse,
          ...errorResponses(401, 413, 415, 429),
          422: {
            description:
              "`VALIDATION_ERROR`: the batch as a whole is not valid. `BATCH_REFUSED`: no mail was accepted; `verdicts` says why.",
            content: { "application/json": { schema: refusedBatch } },
          },
        },
      },
    },
    async (request, reply) => {
      const { sender, sending } = gate.callerOf(request);
      const isSmall = isSmallBody(request);
      if (!isSmall) await largeBodies.waitForTurn(request);
      const parsed = await parseBatchBody(request, sendLimits, sending.problems);
      const mails = "mails" in parsed ? parsed.mails : [];
      if (isSmall && "mails" in parsed) await largeBodies.waitForContent(sender.accountId, parsed.contentBytes);
      const sendable = mails.filter((mail) => isSendable(mail, sender));
      const requests = sendable.map((mail) => ("request" in mail ? mail.request : undefined));
      // Without a mail that can be sent, the request is only counted.
      const acceptances = await gate.accept(request, reply, requests.length === 0 ? [undefined] : requests);
      requireCounted(acceptances, sender);
      if ("problem" in parsed) throw parsed.problem;
      const byMail = new Map(sendable.map((mail, index) => [mail, acceptances[index]]));
      const outcomes = mails.map((mail) => outcomeOf(mail, byMail.get(mail), sender));
      const refusals = outcomes.filter((outcome) => outcome instanceof AppError);
      const counts = { accepted: mails.length - refusals.length, refused: refusals.length };
      // Nobody knows whether the mail is stored, as for POST /send.
      const unknown = refusals.find(({ code }) => code === "UNAVAILABLE");
      if (counts.accepted === 0 && unknown !== undefined) {
        reply.removeHeader("ratelimit").removeHeader("ratelimit-policy");
        throw unknown;
      }
      for (const refusal of refusals) gate.countRefusal(sender, refusal);
      reply.logFields = { mails: mails.length, ...counts, mode: sender.mode };
      const verdicts = outcomes.map((outcome) => toVerdict(outcome, { requestId: request.id, publicUrl }));
      if (counts.accepted > 0) return reply.code(202).send({ ...counts, verdicts });
      reply.refusal = { code: "BATCH_REFUSED", details: refusals.flatMap(({ details = [] }) => details) };
      return reply
        .code(422)
        .send({ ...errorBody(batchRefused(mails.length), request.id, publicUrl), ...counts, verdicts });
    },
  );
}

/** A mail from another domain than that of the key is only counted, as for POST /send. */
function isSendable(mail: ParsedMail, sender: IdentifiedSender): boolean {
  return "request" in mail && !isOfOtherDomain(sender, mail.request);
}

/**
 * The rate limit and the credential concern the batch as a whole. But if the answer of the database was lost, mails of the batch are stored,
 * or may be, when the others are decided again (accept/decide-or-find.ts): then each mail has its own verdict, because a caller repeats
 * the whole batch after 429 and 401.
 */
function requireCounted(acceptances: (Acceptance | Unknown)[], sender: IdentifiedSender): void {
  const [first] = acceptances;
  if (first?.kind === "unknown" && acceptances.length === 1) throw first.error;
  if (acceptances.some((acceptance) => "accepted" in acceptance || acceptance.kind === "unknown")) return;
  for (const acceptance of acceptances) {
    const isForAll = acceptance.kind === "over-limit" || acceptance.kind === "not-allowed";
    if (isForAll) throw refusalOf(acceptance, sender, undefined);
  }
}

function outcomeOf(
  mail: ParsedMail,
  acceptance: Acceptance | Unknown | undefined,
  sender: IdentifiedSender,
): Accepted | AppError {
  if ("problem" in mail) return mail.problem;
  if (acceptance === undefined) return otherDomain(sender.domain ?? "");
  return "accepted" in acceptance ? acceptance.accepted : refusalOf(acceptance, sender, mail.request);
}

function batchRefused(mails: number): AppError {
  const subject = mails === 1 ? "The only mail of the batch" : `None of the ${mails} mails of the batch`;
  return new AppError(
    "BATCH_REFUSED",
    `${subject} was ${mails === 1 ? "not accepted" : "accepted"}. The entry of each mail in verdicts says why.`,
  );
}
