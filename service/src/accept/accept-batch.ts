import type { StoredChunks } from "../attachments/store-chunks.ts";
import { type Admission, createAdmission } from "../db/admission.ts";
import {
  booleanArray,
  byteaArray,
  integerArray,
  nothingIfAllNull,
  smallintArray,
  textArray,
  uuidArray,
  uuidBytesArray,
} from "../db/array-param.ts";
import { createBatch } from "../db/batch.ts";
import { isOutsideRange } from "../db/code-range.ts";
import type { Database, Statement } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import { acceptStatement } from "./accept-statement.ts";
import { acceptCost, findExceeded } from "./exceeded-quotas.ts";
import type { OriginalPayload } from "./fingerprint.ts";
import { createQueueHead, type QueueHead } from "./queue-head.ts";
import type { QuotaCost, QuotaState } from "./quota-states.ts";
import { noQuotas, type Quotas } from "./quotas.ts";

/** One mail for the accept statement. Without a send the payload of its request is invalid, and it is only counted. */
export interface Candidate {
  accountId: string;
  mode: Mode;
  /** Undefined for a JWT. */
  apiKeyId: string | undefined;
  /** The secret of that key. The statement checks both. */
  secretId: string | undefined;
  /** Of a JWT; the statement checks it and the role. Without key and login the sender is Postern itself. */
  loginId?: string | undefined;
  send: CandidateSend | undefined;
  /** An earlier decision, whose answer was lost, has counted the request: the rate limit admits it, and does not count it again. */
  isCounted?: boolean;
}

export interface CandidateSend {
  id: string;
  /** As the caller chose it. */
  idempotencyKey: string | undefined;
  idempotencyHash: Buffer | undefined;
  fingerprint: Buffer;
  /** Of the whole payload, for a send without a key of the caller and for a request with `generatedKey`. */
  payloadHash: Buffer | undefined;
  /** The idempotency key, if it has the form of one that the API generates: the id of a send. */
  generatedKey: string | undefined;
  fromDomain: string;
  fromAddress: string;
  /** to, cc and bcc, in lower case, each once. */
  recipients: string[];
  /** The same recipients as the caller wrote them. */
  toAddresses: string[];
  toCount: number;
  ccCount: number;
  replyTo: string | undefined;
  subject: string;
  tags?: string[];
  /** Canonical JSON. */
  metadata?: string | undefined;
  /** One of the two at most. */
  expiresAt?: Date | undefined;
  ttlSeconds?: number | undefined;
  scheduledAt?: Date | undefined;
  sealed: Buffer;
  /** Already stored; the statement counts and links them. */
  attachments?: StoredChunks | undefined;
  /** Undefined unless the request belongs to a sampled trace. */
  trace?: Buffer | undefined;
}

/** Limits and what remains of them after this request, in the order second, ten seconds, minute. */
export interface RateUsage {
  limits: number[];
  remaining: number[];
}

export interface FirstAnswer {
  sendId: string;
  status: "queued" | "suppressed";
  queuedAt: string;
  suppressed: string[];
  /** Why a new send waits although it is queued: the mail of its account is on hold. Null for a repeat. */
  holdReason: string | null;
}

export type Decision =
  /** The key is revoked, expired, replaced or not for this send, the login ended or lost its role, or the account is suspended. */
  | { kind: "not-allowed" }
  | { kind: "over-limit"; usage: RateUsage; retryMs: number }
  | { kind: "not-valid"; usage: RateUsage }
  /** `usage` is undefined when the answer of the statement was lost and the send was found afterwards. */
  | { kind: "stored"; usage: RateUsage | undefined; answer: FirstAnswer }
  | { kind: "repeat"; usage: RateUsage; answer: FirstAnswer; original: OriginalPayload }
  /** Its expiry has passed. */
  | { kind: "expired"; usage: RateUsage }
  | { kind: "domain-not-verified"; usage: RateUsage }
  /** The attachments were deleted before the statement ran, because the request took an hour. */
  | { kind: "attachments-gone"; usage: RateUsage }
  | { kind: "over-quota"; usage: RateUsage; quota: QuotaState };

/** Decides the mails of one request together, and returns the decisions in their order. */
export type Decide = (candidates: Candidate[]) => Promise<Decision[]>;

const maxItems = 200;
const maxBytes = 4 * 1024 * 1024;

/**
 * Requests that arrive during a round trip share the next one; each waits for its own commit. When many wait, a second round trip runs
 * beside the first: with one, this process was busy for 78 % of the time and PostgreSQL for 57 %. The mails of a request are in one
 * round trip and one commit.
 */
export function createAcceptRoundTrips(
  db: Database,
  clock: DatabaseClock,
  admission: Admission = createAcceptAdmission(),
  quotas: Quotas = noQuotas,
): Decide {
  const head = createQueueHead(db);
  void head.current();
  return createBatch({
    run: (requests: Candidate[][]) => decideAll(db, { clock, head, quotas }, requests),
    maxItems,
    maxBytes,
    maxWaitingBytes: 64 * 1024 * 1024,
    secondBatchFrom: 16,
    admission,
    sizeOf: (mails) => mails.reduce((sum, mail) => sum + sizeOf(mail), 0),
    countOf: (mails) => mails.length,
  });
}

function sizeOf({ send }: Candidate): number {
  return send === undefined ? 100 : send.sealed.length + send.subject.length + (send.metadata?.length ?? 0) + 1000;
}

/** For requests with one mail each. */
export function createAcceptBatch(
  ...options: Parameters<typeof createAcceptRoundTrips>
): (candidate: Candidate) => Promise<Decision> {
  const decide = createAcceptRoundTrips(...options);
  return async (candidate) => (await decide([candidate]))[0] as Decision;
}

/** The API also asks it before it reads a body. */
export function createAcceptAdmission(): Admission {
  return createAdmission({ maxRoundTrips: 2, minInProgress: 2 * maxItems });
}

interface AnswerRow extends Omit<FirstAnswer, "suppressed"> {
  position: number;
  isAdmitted: boolean;
  retryMs: number;
  limits: number[];
  remaining: number[];
  decidedAt: string;
  hasPayload: boolean;
  isDomainVerified: boolean;
  isComplete: boolean;
  isNew: boolean;
  suppressed: string[] | null;
  originalFingerprint: Buffer | null;
  originalPayloadHash: Buffer | null;
}

async function decideAll(
  db: Database,
  { clock, head, quotas }: { clock: DatabaseClock; head: QueueHead; quotas: Quotas },
  requests: Candidate[][],
): Promise<Decision[][]> {
  const candidates = requests.flat();
  const stale = quotas.readStale(candidates);
  if (stale !== undefined) await stale;
  const heads = await head.current();
  const startedAt = performance.now();
  const found = findExceeded(db, quotas, requests);
  const exceeded = found instanceof Promise ? await found : found;
  const isExpired = candidates.map(
    ({ send }) => send?.expiresAt !== undefined && send.expiresAt.getTime() <= clock.now(),
  );
  const isRefused = candidates.map((_, position) => isExpired[position] === true || exceeded[position] !== undefined);
  const hasGeneratedKeys = candidates.some(({ send }) => send?.generatedKey !== undefined);
  const hasAttachments = candidates.some(({ send }) => send?.attachments !== undefined);
  const hasTraces = candidates.some(({ send }) => send?.trace !== undefined);
  // crash point: before-accept
  const rows = await runAccept(db, {
    name: `accept-sends${hasGeneratedKeys ? "-generated-keys" : ""}${hasAttachments ? "-attachments" : ""}${hasTraces ? "-traces" : ""}`,
    text: acceptStatement({ hasGeneratedKeys, hasAttachments, hasTraces }),
    isPlannedOnce: true,
    values: [
      ...parametersOf(requests, isRefused, quotas),
      ...heads,
      ...(hasTraces ? [byteaArray(candidates.map(({ send }) => send?.trace ?? null))] : []),
    ],
  });
  // crash point: after-accept
  const decisions: Decision[] = candidates.map(() => ({ kind: "not-allowed" }));
  for (const row of rows) {
    const position = row.position - 1;
    const refusal = { exceeded: exceeded[position], isExpired: isExpired[position] === true };
    const [candidate, decision] = [candidates[position], decisionOf(row, refusal)];
    decisions[position] = decision;
    if (decision.kind !== "stored" || candidate?.send === undefined) continue;
    quotas.add(candidate, storedCost(candidate.send, decision.answer), startedAt);
  }
  const [latest] = rows;
  if (latest !== undefined) clock.observe(Date.parse(latest.decidedAt));
  return requests.map((mails) => decisions.splice(0, mails.length));
}

/** Without a cause, because nothing was stored: the request is refused at once. */
async function runAccept(db: Database, statement: Statement): Promise<AnswerRow[]> {
  try {
    return await db.query<AnswerRow>(statement);
  } catch (error) {
    if (!isOutsideRange(error)) throw error;
    throw new AppError("UNAVAILABLE", "This process is being replaced by a newer version. Try again shortly.", {
      retryAfterSeconds: 2,
    });
  }
}

function storedCost(send: CandidateSend, { status, suppressed }: FirstAnswer): QuotaCost {
  const { recipients, queuedRecipients, contentBytes } = acceptCost(send);
  return {
    recipients,
    queuedRecipients: queuedRecipients - suppressed.length,
    contentBytes: status === "suppressed" ? 0 : contentBytes,
  };
}

interface Refusal {
  exceeded: QuotaState | undefined;
  isExpired: boolean;
}

function decisionOf(row: AnswerRow, { exceeded, isExpired }: Refusal): Decision {
  const usage = { limits: row.limits, remaining: row.remaining };
  if (!row.isAdmitted) return { kind: "over-limit", usage, retryMs: row.retryMs };
  if (!row.hasPayload) return { kind: "not-valid", usage };
  const { sendId, status, queuedAt } = row;
  const original = originalOf(row);
  const holdReason = original === undefined && status === "queued" ? row.holdReason : null;
  const answer = { sendId, status, queuedAt, suppressed: row.suppressed ?? [], holdReason };
  if (original !== undefined) return { kind: "repeat", usage, answer, original };
  if (row.isNew) return { kind: "stored", usage, answer };
  if (isExpired) return { kind: "expired", usage };
  // A domain that is not verified comes first: waiting for the quota does not help.
  if (row.isDomainVerified && exceeded === undefined && !row.isComplete) return { kind: "attachments-gone", usage };
  if (!row.isDomainVerified || exceeded === undefined) return { kind: "domain-not-verified", usage };
  return { kind: "over-quota", usage, quota: exceeded };
}

function originalOf({ originalFingerprint, originalPayloadHash }: AnswerRow): OriginalPayload | undefined {
  if (originalFingerprint !== null) return { fingerprint: originalFingerprint };
  return originalPayloadHash === null ? undefined : { payloadHash: originalPayloadHash };
}

/** Lists of addresses and tags are joined with commas, because neither contains one. */
function parametersOf(requests: Candidate[][], isRefused: boolean[], quotas: Quotas): (Buffer | null)[] {
  const candidates = requests.flat();
  const sends = candidates.map((candidate) => candidate.send);
  /** A column that most sends lack. */
  const optional = <Value>(
    encode: (values: (Value | null)[]) => Buffer,
    read: (send: CandidateSend) => Value | undefined,
  ) =>
    nothingIfAllNull(
      encode,
      sends.map((send) => (send && read(send)) ?? null),
    );
  return [
    uuidArray(candidates.map((candidate) => candidate.accountId)),
    textArray(candidates.map((candidate) => candidate.mode)),
    uuidArray(candidates.map((candidate) => candidate.secretId ?? candidate.loginId ?? null)),
    booleanArray(sends.map((send) => send !== undefined)),
    uuidArray(sends.map((send) => send?.id ?? null)),
    uuidBytesArray(sends.map((send) => send?.idempotencyHash ?? null)),
    byteaArray(sends.map((send) => send?.fingerprint ?? null)),
    textArray(sends.map((send) => send?.fromDomain ?? null)),
    textArray(sends.map((send) => send?.fromAddress ?? null)),
    textArray(sends.map((send) => send?.recipients.join(",") ?? null)),
    textArray(sends.map((send) => send?.toAddresses.join(",") ?? null)),
    smallintArray(sends.map((send) => send?.toCount ?? null)),
    smallintArray(sends.map((send) => send?.ccCount ?? null)),
    optional(textArray, (send) => send.replyTo),
    textArray(sends.map((send) => send?.subject ?? null)),
    byteaArray(sends.map((send) => send?.sealed ?? null)),
    uuidArray(candidates.map((candidate) => candidate.apiKeyId ?? null)),
    optional(byteaArray, (send) => send.payloadHash),
    optional(uuidArray, (send) => send.generatedKey),
    booleanArray(isRefused),
    booleanArray(candidates.map((candidate) => quotas.isQueueCounted(candidate))),
    optional(textArray, (send) => send.idempotencyKey),
    optional(textArray, ({ tags }) => (tags?.length ? tags.join(",") : undefined)),
    optional(textArray, (send) => send.metadata),
    booleanArray(
      requests.flatMap((mails) => mails.map(({ isCounted }, index) => (isCounted ? null : index === mails.length - 1))),
    ),
    optional(integerArray, (send) => send.attachments?.chunks),
    optional(integerArray, (send) => send.attachments?.bytes),
    optional(textArray, (send) => send.expiresAt?.toISOString()),
    optional(integerArray, (send) => send.ttlSeconds),
    optional(textArray, (send) => send.scheduledAt?.toISOString()),
  ];
}
