import type { KeyObject } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type Attachment, factsOf } from "../attachments/attachment.ts";
import type { AttachmentStore } from "../attachments/attachment-store.ts";
import type { Database } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import type { Mode } from "../mode.ts";
import type { Secret } from "../secret.ts";
import { sealContent } from "../sends/content.ts";
import { isSendId, newSendId } from "../sends/send-id.ts";
import { recipientsOf, type SendRequest } from "../sends/send-request.ts";
import { storedTrace, type TraceParent } from "../traceparent.ts";
import { inCreatingSpan, type SpanResult } from "../tracing.ts";
import type { Candidate, CandidateSend, Decide, Decision } from "./accept-batch.ts";
import { answerInTime } from "./answer-in-time.ts";
import { decideOrFind, type Unknown } from "./decide-or-find.ts";
import {
  compareWithOriginal,
  type DifferingFields,
  fingerprintOf,
  idempotencyHash,
  payloadHashOf,
} from "./fingerprint.ts";
import type { FingerprintKeys } from "./fingerprint-keys.ts";
import type { Quotas } from "./quotas.ts";
import type { RateRefusals } from "./rate-refusals.ts";

export interface AcceptDeps {
  /** Only the statements of POST /send and POST /send/batch use these connections. */
  db: Database;
  attachments: AttachmentStore;
  decide: Decide;
  /** Throws 503 when `decide` would refuse the request at once. */
  requireCapacity: () => void;
  clock: DatabaseClock;
  contentKey: Secret;
  fingerprintKeys: FingerprintKeys;
  refusals: RateRefusals;
  quotas: Quotas;
  /** Wakes the workers for sends of the mode. Without it they find the send by polling. */
  hint: Record<Mode, () => void>;
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
  scheduledAt?: Date | undefined;
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
  const [acceptance] = await acceptSends(deps, sender, [request]);
  if (acceptance === undefined) throw new Error("the accept statement returned no decision");
  if (acceptance.kind === "unknown") throw acceptance.error;
  return acceptance;
}

/** The mails of one request, in one commit. Together they count once against the rate limit. `parent`: the trace of the request. */
export function acceptSends(
  deps: AcceptDeps,
  sender: Sender,
  requests: (SendRequest | undefined)[],
  parent?: TraceParent,
): Promise<(Acceptance | Unknown)[]> {
  const { accountId, mode } = sender;
  const attributes = { "postern.account.id": accountId, "postern.mode": mode, "postern.mails": requests.length };
  return inCreatingSpan("accept", { kind: "PRODUCER", parent, attributes, describe }, (kept) =>
    storeSends(deps, sender, requests, kept),
  );
}

function describe([acceptance, ...more]: (Acceptance | Unknown)[]): SpanResult {
  if (acceptance === undefined || more.length > 0) return {};
  const id = "accepted" in acceptance ? { "postern.send.id": acceptance.accepted.id } : {};
  return { attributes: { "postern.decision": acceptance.kind, ...id } };
}

async function storeSends(
  deps: AcceptDeps,
  sender: Sender,
  requests: (SendRequest | undefined)[],
  trace: TraceParent | undefined,
): Promise<(Acceptance | Unknown)[]> {
  const candidates = await newCandidates(deps, sender, requests, storedTrace(trace));
  const { decisions, askedAt } = await storeAndDecide(deps, candidates, requests);
  const refused = decisions.find((decision) => decision.kind === "over-limit");
  if (refused !== undefined) {
    // Measured from before the query. An early re-check costs one query; a late one would refuse a permitted request.
    deps.refusals.remember(sender, refused.retryMs - (performance.now() - askedAt), refused.usage);
  }
  if (decisions.some((decision) => decision.kind === "stored" && decision.answer.status === "queued")) {
    deps.hint[sender.mode]();
  }
  return decisions.map((decision, index) => acceptanceOf(requests[index], candidates[index]?.send, decision));
}

function acceptanceOf(
  request: SendRequest | undefined,
  send: CandidateSend | undefined,
  decision: Decision | Unknown,
): Acceptance | Unknown {
  if (decision.kind !== "stored" && decision.kind !== "repeat") return decision;
  if (request === undefined || send === undefined)
    throw new Error("the statement stored a send for a request without one");
  if (decision.kind === "stored") return { ...decision, accepted: acceptedAs(request, decision.answer, false) };
  const fields = compareWithOriginal(decision.original, send);
  if (fields !== undefined) return { kind: "conflict", usage: decision.usage, id: decision.answer.sendId, fields };
  // The same id under the same key: the first try was stored, and only its answer was lost.
  const isRepeat = decision.answer.sendId !== send.id;
  return { ...decision, accepted: acceptedAs(request, decision.answer, isRepeat) };
}

/** Attachments come before the decision, so that the statement of many sends stays short. Those that no send has afterwards are deleted. */
async function storeAndDecide(deps: AcceptDeps, candidates: Candidate[], requests: (SendRequest | undefined)[]) {
  let decisions: (Decision | Unknown)[] = [];
  try {
    for (const [index, request] of requests.entries()) {
      if (request?.attachments?.length) await storeAttachments(deps, candidates[index], request.attachments);
    }
    const askedAt = performance.now();
    decisions = await decideOrFind(deps, candidates);
    return { decisions, askedAt };
  } finally {
    forgetUnlinked(deps, candidates, decisions);
  }
}

async function storeAttachments(
  deps: AcceptDeps,
  candidate: Candidate | undefined,
  attachments: Attachment[],
): Promise<void> {
  if (candidate?.send === undefined) return;
  const owner = { accountId: candidate.accountId, sendId: candidate.send.id };
  candidate.send.attachments = await deps.attachments.store(owner, attachments);
}

/**
 * Without a decision the request was refused, or its outcome is unknown: then the database knows what is linked. A mail whose own storing
 * failed is left to the chore, because a chunk may still be on its way.
 */
function forgetUnlinked(deps: AcceptDeps, candidates: Candidate[], decisions: (Decision | Unknown)[]): void {
  const unlinked = candidates.flatMap(({ send }, index) => {
    if (send?.attachments === undefined) return [];
    const decision = decisions[index];
    const answer = decision !== undefined && "answer" in decision ? decision.answer : undefined;
    return answer?.sendId === send.id && answer.status === "queued" ? [] : [send.id];
  });
  const [first] = candidates;
  if (first !== undefined && unlinked.length > 0) deps.attachments.forget(first.accountId, unlinked);
}

interface KeyedSender extends Sender {
  fingerprintKey: KeyObject;
}

/** Sealing blocks the process. */
const mailsWithoutPause = 10;

async function newCandidates(
  deps: AcceptDeps,
  sender: Sender,
  requests: (SendRequest | undefined)[],
  trace: Buffer | undefined,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  const key = deps.fingerprintKeys.of(sender.accountId);
  // The key of a known account is there at once: its requests wait for nothing.
  const keyed = { ...sender, fingerprintKey: key instanceof Promise ? await answerInTime(key) : key };
  for (const [index, request] of requests.entries()) {
    if (index > 0 && index % mailsWithoutPause === 0) await setImmediate();
    candidates.push(newCandidate(deps, keyed, request, trace));
  }
  return candidates;
}

/** Id and keys are fixed before the first try, so that a try whose answer was lost can be found. */
function newCandidate(
  deps: AcceptDeps,
  sender: KeyedSender,
  request: SendRequest | undefined,
  trace: Buffer | undefined,
): Candidate {
  const { accountId, mode, apiKeyId, secretId, loginId } = sender;
  return {
    accountId,
    mode,
    apiKeyId,
    secretId,
    loginId,
    send: request === undefined ? undefined : newSend(deps, sender, request, trace),
  };
}

function newSend(
  deps: AcceptDeps,
  { accountId, mode, fingerprintKey }: KeyedSender,
  request: SendRequest,
  trace: Buffer | undefined,
): CandidateSend {
  const id = newSendId(deps.clock.now());
  const recipients = recipientsOf(request);
  const { idempotencyKey, from, replyTo, subject, html, text, headers = [], tags = [], metadata } = request;
  const { attachments = [], expiresAt, ttlSeconds, scheduledAt } = request;
  const fingerprint = fingerprintOf(fingerprintKey, request.given);
  const generatedKey = idempotencyKey !== undefined && isSendId(idempotencyKey) ? idempotencyKey : undefined;
  const [to, cc, bcc] = [request.to, request.cc, request.bcc].map((list) => list.map((address) => address.ascii));
  return {
    id,
    idempotencyKey,
    idempotencyHash:
      idempotencyKey === undefined ? undefined : idempotencyHash(fingerprintKey, accountId, mode, idempotencyKey),
    fingerprint,
    payloadHash:
      idempotencyKey === undefined || generatedKey !== undefined
        ? payloadHashOf(fingerprintKey, fingerprint)
        : undefined,
    generatedKey,
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
    expiresAt,
    ttlSeconds,
    scheduledAt,
    trace,
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
        ...(attachments.length > 0 && { attachments: attachments.map(factsOf) }),
      },
      { expires: (expiresAt ?? ttlSeconds) !== undefined },
    ),
  };
}

function acceptedAs(
  request: SendRequest,
  answer: Extract<Decision, { kind: "stored" }>["answer"],
  isRepeat: boolean,
): Accepted {
  const suppressed = new Set(answer.suppressed);
  const filtered = suppressed.size === 0 ? [] : recipientsOf(request).filter((address) => suppressed.has(address.key));
  return {
    id: answer.sendId,
    status: answer.status,
    idempotencyKey: request.idempotencyKey ?? answer.sendId,
    queuedAt: answer.queuedAt,
    isRepeat,
    suppressedRecipients: filtered.map((address) => address.given),
    scheduledAt: request.scheduledAt,
    holdReason: answer.holdReason,
  };
}
