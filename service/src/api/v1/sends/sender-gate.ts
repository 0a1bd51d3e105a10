import type { FastifyReply, FastifyRequest } from "fastify";
import { type Acceptance, acceptSends } from "../../../accept/accept-send.ts";
import type { Unknown } from "../../../accept/decide-or-find.ts";
import { AppError } from "../../../errors.ts";
import type { LoggedCaller } from "../../../request-log/logged-request.ts";
import type { SendRequest } from "../../../sends/send-request.ts";
import { createSenderIdentifier, type IdentifiedSender } from "../../auth/authenticate.ts";
import { getCallerAccess } from "../../auth/route-access.ts";
import type { ApiDeps } from "../../http/api-server.ts";
import { errorCatalogue } from "../../http/error-catalogue.ts";
import { isSmallBody, type LargeBodyLimit } from "../../http/large-bodies.ts";
import { rateLimitHeaders } from "../../http/rate-limit-headers.ts";
import { traceOf } from "../../http/trace-requests.ts";
import { type SendingMode, sendingModeOf } from "./send-mode.ts";
import { overLimit } from "./send-refusal.ts";

interface SendingCaller {
  sender: IdentifiedSender;
  sending: SendingMode;
}

export interface SenderGate {
  /** Before the body is read: capacity, credential, known rate refusals, and the memory for large bodies. */
  onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts the refusal for the usage of the key. */
  onError(request: FastifyRequest, reply: FastifyReply, error: Error): Promise<void>;
  callerOf(request: FastifyRequest): SendingCaller;
  /** Accepts the mails of one request, and sets the headers of the rate limit. */
  accept(
    request: FastifyRequest,
    reply: FastifyReply,
    mails: (SendRequest | undefined)[],
  ): Promise<(Acceptance | Unknown)[]>;
  /** Failures of Postern do not count. */
  countRefusal(sender: IdentifiedSender, error: AppError): void;
}

/** What POST /send and POST /send/batch share; both need the same scope and role. */
export function createSenderGate(deps: ApiDeps, largeBodies: LargeBodyLimit): SenderGate {
  const { senderAuthenticator, acceptDeps, refusalCounts } = deps;
  const { identify, requireValidCredential, noteUse } = createSenderIdentifier(
    senderAuthenticator,
    getCallerAccess("POST", "/api/v1/send"),
  );
  const callers = new WeakMap<FastifyRequest, SendingCaller>();

  function callerOf(request: FastifyRequest): SendingCaller {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error("the handler ran without the hook that identifies the sender");
    return caller;
  }

  function countRefusal({ accountId, apiKeyId }: IdentifiedSender, { code }: AppError): void {
    if (apiKeyId === undefined || errorCatalogue[code].status >= 500) return;
    refusalCounts.count({ accountId, apiKeyId, code });
  }

  return {
    async onRequest(request, reply) {
      // First, because a refusal is cheap only before the key is looked up and the body is read.
      acceptDeps.requireCapacity();
      const note = (known: LoggedCaller) => {
        request.loggedCaller = known;
      };
      const identified = await identify(request.headers, { mayTrustMemory: isSmallBody(request), note });
      const sending = sendingModeOf(request, identified.apiKeyId === undefined ? undefined : identified.mode);
      const sender = { ...identified, mode: sending.mode };
      callers.set(request, { sender, sending });
      request.loggedCaller = sender;
      const refusal = acceptDeps.refusals.find(sender);
      if (refusal !== undefined) {
        // Otherwise `identify` has just checked it.
        if (!sender.isChecked) await requireValidCredential(request.headers, sender);
        reply.headers(rateLimitHeaders(refusal.usage));
        throw overLimit(refusal.usage, refusal.retryMs);
      }
      largeBodies.admit(request, reply, sender.accountId);
    },

    async onError(request, _reply, error) {
      const caller = callers.get(request);
      if (caller !== undefined && error instanceof AppError) countRefusal(caller.sender, error);
    },

    callerOf,

    async accept(request, reply, mails) {
      const { sender } = callerOf(request);
      const trace = traceOf(request);
      let acceptances = await acceptSends(acceptDeps, sender, mails, trace);
      if (acceptances.every(({ kind }) => kind === "not-allowed")) {
        // Throws 401 with the reason, unless the key is valid.
        await requireValidCredential(request.headers);
        acceptances = await acceptSends(acceptDeps, sender, mails, trace);
      }
      if (acceptances.some(({ kind }) => kind !== "not-allowed" && kind !== "unknown")) noteUse(sender);
      const usage = acceptances
        .map((acceptance) => ("usage" in acceptance ? acceptance.usage : undefined))
        .find(Boolean);
      if (usage !== undefined) reply.headers(rateLimitHeaders(usage));
      return acceptances;
    },

    countRefusal,
  };
}
