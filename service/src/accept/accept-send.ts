import type { KeyObject } from "node:crypto";
import type { Database } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import type { Secret } from "../secret.ts";
import { sealContent } from "../sends/content.ts";
import { isSendId, newSendId } from "../sends/send-id.ts";
import { recipientsOf, type SendRequest } from "../sends/send-request.ts";
import type { Candidate, CandidateSend, Decide, Decision } from "./accept-batch.ts";
import { findAcceptedSend } from "./find-accepted-send.ts";
import {
  compareWithOriginal,
  type DifferingFields,
  fingerprintOf,
  idempotencyHash,
  payloadHashOf,
} from "./fingerprint.ts";
import type { Quotas } from "./quotas.ts";
import type { RateRefusals } from "./rate-refusals.ts";

export interface AcceptDeps {
  /** Only the statements of POST /send use these connections. */
  db: Database;
  decide: Decide;
  /** Throws 503 when `decide` would refuse the request at once. */
  requireCapacity: () => void;
  clock: DatabaseClock;
  contentKey: Secret;
  fingerprintKey: KeyObject;
  refusals: RateRefusals;
  quotas: Quotas;
  /** Wakes the workers. Without it they find the send by polling. */
  hint: () => void;
}

export interface Sender {
  accountId: string;
  mode: Mode;
  /** The record names it; undefined for a JWT. */
  apiKeyId: string | undefined;
  /** The secret of the key that the request came with; undefined for a JWT. */
  secretId: string | undefined;
  /** Of a JWT. Without key and login the sender is Postern itself. */
  loginId?: string | undefined;
}

export interface Accepted {
  id: string;
  status: "queued" | "suppressed";
  idempotencyKey: string;
  queuedAt: string;
  isRepeat: boolean;
  /** As the caller wrote them. */
  suppressedRecipients: string[];
  /** Why the send waits; null unless the mail of the account is on hold and this request created the send. */
  holdReason: string | null;
}

type Repeat = Extract<Decision, { kind: "repeat" }>;

type Refused = Exclude<Decision, { kind: "stored" | "repeat" }>;

export type Acceptance =
  | (Extract<Decision, { kind: "stored" }> & { accepted: Accepted })
  | (Repeat & { accepted: Accepted })
  | ({ kind: "conflict"; id: string; fields: DifferingFields } & Pick<Repeat, "usage">)
  | Refused;

/**
 * Decides, stores and queues in one commit: a 202 is never lost. A request with an invalid payload is only counted against the rate
 * limit of its account.
 */
export async function acceptSend(
  deps: AcceptDeps,
  sender: Sender,
  request: SendRequest | undefined,
): Promise<Acceptance> {
  const candidate = newCandidate(deps, sender, request);
  const askedAt = performance.now();
  const decision = await decide(deps, candidate);
  if (decision.kind === "over-limit") {
    // Measured from before the query. An early re-check costs one query; a late one would refuse a permitted request.
    deps.refusals.remember(sender, decision.retryMs - (performance.now() - askedAt), decision.usage);
  }
  if (request === undefined || candidate.send === undefined) return withoutAnswer(decision);
  switch (decision.kind) {
    case "stored":
      if (decision.answer.status === "queued") deps.hint();
      return { ...decision, accepted: acceptedAs(request, decision.answer, false) };
    case "repeat": {
      const fields = compareWithOriginal(decision.original, candidate.send);
      if (fields !== undefined) return { kind: "conflict", usage: decision.usage, id: decision.answer.sendId, fields };
      // The same id under the same key: the first try was stored, and only its answer was lost.
      const isRepeat = decision.answer.sendId !== candidate.send.id;
      return { ...decision, accepted: acceptedAs(request, decision.answer, isRepeat) };
    }
    default:
      return decision;
  }
}

function withoutAnswer(decision: Decision): Refused {
  if (decision.kind === "stored" || decision.kind === "repeat")
    throw new Error("the statement stored a send for a request without one");
  return decision;
}

/** Id and keys are fixed before the first try, so that a try whose answer was lost can be found. */
function newCandidate(deps: AcceptDeps, sender: Sender, request: SendRequest | undefined): Candidate {
  const { accountId, mode, apiKeyId, secretId, loginId } = sender;
  return {
    accountId,
    mode,
    apiKeyId,
    secretId,
    loginId,
    send: request === undefined ? undefined : newSend(deps, sender, request),
  };
}

function newSend(deps: AcceptDeps, { accountId, mode }: Sender, request: SendRequest): CandidateSend {
  const id = newSendId(deps.clock.now());
  const recipients = recipientsOf(request);
  const { idempotencyKey, from, replyTo, subject, html, text, headers = [], tags = [], metadata } = request;
  const fingerprint = fingerprintOf(deps.fingerprintKey, request.given);
  const [to, cc, bcc] = [request.to, request.cc, request.bcc].map((list) => list.map((address) => address.ascii));
  return {
    id,
    idempotencyKey,
    idempotencyHash:
      idempotencyKey === undefined ? undefined : idempotencyHash(deps.fingerprintKey, accountId, mode, idempotencyKey),
    fingerprint,
    payloadHash: payloadHashOf(deps.fingerprintKey, fingerprint),
    generatedKey: idempotencyKey !== undefined && isSendId(idempotencyKey) ? idempotencyKey : undefined,
    fromDomain: from.address.domain,
    fromAddress: from.given,
    recipients: recipients.map((address) => address.key),
    toAddresses: recipients.map((address) => address.given),
    toCount: request.to.length,
    ccCount: request.cc.length,
    replyTo: replyTo?.given,
    subject,
    tags,
    metadata,
    sealed: sealContent(
      deps.contentKey,
      { accountId, sendId: id },
      {
        from: { name: from.name, address: from.address.ascii },
        to: to ?? [],
        cc: cc ?? [],
        bcc: bcc ?? [],
        replyTo: replyTo && { name: replyTo.name, address: replyTo.address.ascii },
        subject,
        html,
        text,
        ...(headers.length > 0 && { headers }),
      },
    ),
  };
}

/**
 * If the connection breaks, the commit may have happened:
 *
 * 1. Look the id up. If it is stored, answer with it.
 * 2. With an idempotency key, try again: the second try finds the first one.
 * 3. Without one, fail: a second try could send a second mail.
 */
async function decide(deps: AcceptDeps, candidate: Candidate): Promise<Decision> {
  try {
    return await deps.decide(candidate);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "UNAVAILABLE") || candidate.send === undefined) throw error;
    // Without a cause, the batch refused the request before it ran a statement.
    if (error.cause === undefined) throw error;
    const { accountId, mode, send } = candidate;
    const stored = await findAcceptedSend(deps.db, accountId, mode, send.id);
    if (stored !== undefined) return { kind: "stored", usage: undefined, answer: stored };
    if (send.idempotencyHash === undefined) throw error;
    return deps.decide(candidate);
  }
}

function acceptedAs(
  request: SendRequest,
  answer: Extract<Decision, { kind: "stored" }>["answer"],
  isRepeat: boolean,
): Accepted {
  const suppressed = new Set(answer.suppressed);
  const filtered = recipientsOf(request).filter((address) => suppressed.has(address.key));
  return {
    id: answer.sendId,
    status: answer.status,
    idempotencyKey: request.idempotencyKey ?? answer.sendId,
    queuedAt: answer.queuedAt,
    isRepeat,
    suppressedRecipients: filtered.map((address) => address.given),
    holdReason: answer.holdReason,
  };
}
