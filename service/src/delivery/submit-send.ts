import { AttachmentGone, readAttachments } from "../attachments/read-chunks.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import {
  type EmailProvider,
  type OutgoingMail,
  type SubmitResult,
  tenantNotAssociated,
} from "../provider/email-provider.ts";
import { type ClaimedSend, leaseSeconds, minUploadBytesPerSecond } from "../queue/claim-sends.ts";
import { tenantMissing } from "../queue/denied-domains.ts";
import { expired, expiredInDoubt } from "../queue/expire-sends.ts";
import type { SecretPair } from "../secret.ts";
import { openContent, type SendContent } from "../sends/content.ts";
import {
  type AttemptResult,
  decideMove,
  domainNotVerified,
  laterOrFailed,
  type Move,
  statusAfter,
} from "./decide-move.ts";

/**
 * From the claim to the row. This file makes steps 1 and 2; `delivery-loop.ts` calls it and then step 4.
 *
 * 1. Check once more whether the send may go out: recipients, domain, content, lease, expiry.
 * 2. Submit. `provider/ses/submit/classify-answer.ts` reads the answer of SES: accepted, refused, try-later, denied or unknown.
 * 3. `decide-move.ts` decides the move of this send, and what the answer means for others (hold, slower pace, domain not verified or denied).
 * 4. `settle-attempt.ts` stores the effect on others first, then the move. `loops/until-written.ts` repeats it while the database is down.
 * 5. `queue/settle-sends.ts` has one function per move. Moves that wait for the same round trip share it.
 * 6. `queue/settle-statement.ts` moves the row in the queue, stores the attempt and updates the record in one statement, but only if the
 *    attempt still owns the send. An accepted attempt that does not goes to `queue/confirm-submission.ts` as evidence.
 */

/** What a submission needs; one per process. */
export interface DeliveryDeps {
  db: Queryable;
  provider: Pick<EmailProvider, "submit">;
  contentKeys: SecretPair;
  giveUpAfterSeconds: number;
  /** The SES tenant of an account; undefined unless SES_TENANTS is on. */
  tenantOf?: ((accountId: string) => string) | undefined;
  log: Log;
  metrics: Metrics;
  /** Milliseconds; it may run fast, never slow (cautious-clock.ts). */
  clock: () => number;
}

/** The longest request to the provider. It must end before the lease does. Attachments add the same time to both. */
const providerTimeoutSeconds = 15;
const startWithinMs = (leaseSeconds - providerTimeoutSeconds) * 1000;

/** Submits one claimed send, if it may still go out. `claimedAt` is the time before the claim, on the clock of `deps`. */
export async function submitSend(deps: DeliveryDeps, send: ClaimedSend, claimedAt: number): Promise<AttemptResult> {
  const started = deps.clock();
  const result = await attempt(deps, send, claimedAt);
  const { outcome, move, requestId } = result;
  const facts = {
    send_id: send.id,
    account_id: send.accountId,
    attempt: send.attempt,
    outcome,
    status: statusAfter[move.kind],
    code: move.kind === "failed" ? move.code : undefined,
    request_id: requestId,
    duration_ms: Math.round(deps.clock() - started),
  };
  deps.log.info(facts, "delivery.attempted");
  return result;
}

async function attempt(deps: DeliveryDeps, send: ClaimedSend, claimedAt: number): Promise<AttemptResult> {
  // `claimedAt` is before the database computed the time left, and the clock is never slow, so this is never late.
  const isExpired = () => send.expiresInMs !== null && deps.clock() - claimedAt >= send.expiresInMs;
  if (isExpired()) return endExpired(send);
  if (send.recipients.length === 0) return notSubmitted({ kind: "suppressed" }, "all recipients are suppressed");
  if (send.domain === "gone" || send.configurationSetName === null) {
    return notSubmitted({ kind: "failed", ...domainNotVerified }, "the domain was removed");
  }
  if (send.domain === "unverified") {
    return notSubmitted(laterOrFailed(send, deps.giveUpAfterSeconds, domainNotVerified), "the domain is not verified");
  }
  const tenantName = deps.tenantOf?.(send.accountId);
  if (tenantName !== undefined && !send.hasTenant) {
    const detail = "the SES tenant of the account is not ready for the domain";
    return { ...notSubmitted({ kind: "parked" }, detail), denialCode: tenantMissing };
  }
  if (send.sealed === null) return notSubmitted({ kind: "failed", ...contentGone }, "the content is gone");
  const content = open(deps, send, send.sealed);
  if (content === undefined) {
    return notSubmitted(laterOrFailed(send, deps.giveUpAfterSeconds, contentClosed), "the content cannot be decrypted");
  }
  const { attachments, ...rest } = content;
  const loaded = await loadAttachments(deps, send, attachments);
  if ("notSubmitted" in loaded) return loaded.notSubmitted;
  const mail = { ...outgoingMail(send, send.configurationSetName, { ...rest, ...loaded }), tenantName };
  // After the lease another worker may have the send. The provider asks again directly before it writes the request.
  const mayStart = () => deps.clock() - claimedAt < startWithinMs && !isExpired();
  if (isExpired()) return endExpired(send);
  if (!mayStart()) return notSubmitted({ kind: "given-back" }, "the lease had too little time left");
  if (send.waitedSeconds !== null) {
    const waitedSeconds = Math.max(0, send.waitedSeconds) + (deps.clock() - claimedAt) / 1000;
    deps.metrics.acceptToSubmitSeconds.observe({ mode: send.mode }, waitedSeconds);
  }
  // crash point: before-call
  const answer = await submit(deps, mail, { mayStart, uploadMs: uploadMsOf(send) });
  if (answer === undefined)
    return notSubmitted({ kind: "failed", ...notSubmittable }, "the provider request could not be built");
  if (answer.kind === "not-started" && isExpired()) return endExpired(send);
  const result = decideMove(send, answer, deps.giveUpAfterSeconds);
  return tenantName !== undefined && isTenantGone(answer) ? { ...result, isTenantGone: true } : result;
}

/** The tenant lacks an association, or the tenant or the configuration set is missing. Repeating the steps finds out which. */
function isTenantGone(answer: SubmitResult): boolean {
  return answer.kind === "denied" && (answer.code === tenantNotAssociated || answer.code === "NotFoundException");
}

function endExpired({ hasUnknownAttempt }: ClaimedSend): AttemptResult {
  return notSubmitted({ kind: "failed", ...(hasUnknownAttempt ? expiredInDoubt : expired) }, "the send had expired");
}

const contentGone = { code: "INTERNAL", message: "The content of this send was deleted before it was sent." } as const;
const notSubmittable = {
  code: "INTERNAL",
  message: "Postern could not build the mail. Report the id of this send.",
} as const;
const contentClosed = { code: "INTERNAL", message: "The content of this send cannot be decrypted." } as const;

function notSubmitted(move: Move, detail: string): AttemptResult {
  return { outcome: "returned", move, detail };
}

/** A missing key is a mistake of the operator, who can fix it: the send is retried and not failed immediately. */
function open({ contentKeys, log }: DeliveryDeps, send: ClaimedSend, sealed: Buffer): SendContent | undefined {
  try {
    return openContent(contentKeys, { accountId: send.accountId, sendId: send.id }, sealed);
  } catch (err) {
    log.error(
      { send_id: send.id, account_id: send.accountId, attempt: send.attempt, err },
      "delivery.content-not-opened",
    );
    return undefined;
  }
}

type LoadedAttachments = Pick<OutgoingMail, "attachments">;

/** One send after the other, chunk by chunk. The byte budget of the worker has counted them (delivery-loop.ts). */
async function loadAttachments(
  { db, contentKeys, giveUpAfterSeconds, log }: DeliveryDeps,
  send: ClaimedSend,
  attachments: SendContent["attachments"],
): Promise<LoadedAttachments | { notSubmitted: AttemptResult }> {
  if (attachments === undefined) return { attachments: undefined };
  const owner = { accountId: send.accountId, sendId: send.id };
  try {
    return { attachments: await readAttachments(db, contentKeys, owner, attachments) };
  } catch (err) {
    log.error(
      { send_id: send.id, account_id: send.accountId, attempt: send.attempt, err },
      "delivery.attachments-not-read",
    );
    if (err instanceof AttachmentGone)
      return { notSubmitted: notSubmitted({ kind: "failed", ...contentGone }, "the attachments are gone") };
    if (err instanceof AppError)
      return { notSubmitted: notSubmitted({ kind: "given-back" }, "the database did not return the attachments") };
    const move = laterOrFailed(send, giveUpAfterSeconds, contentClosed);
    return { notSubmitted: notSubmitted(move, "the attachments cannot be decrypted") };
  }
}

/** As the claim computes the end of the lease. */
function uploadMsOf({ attachmentBytes }: ClaimedSend): number {
  return Math.floor((attachmentBytes ?? 0) / minUploadBytesPerSecond) * 1000;
}

/** The mail without suppressed recipients. `to` may be empty while cc or bcc are not. */
function outgoingMail(
  send: ClaimedSend,
  configurationSetName: string,
  content: Omit<SendContent, "attachments"> & LoadedAttachments,
): OutgoingMail {
  const allowed = new Set(send.recipients);
  const kept = (addresses: string[]) => addresses.filter((address) => allowed.has(address.toLowerCase()));
  return {
    ...content,
    to: kept(content.to),
    cc: kept(content.cc),
    bcc: kept(content.bcc),
    configurationSetName,
    tags: { sendId: send.id, attempt: send.attempt },
  };
}

/** Undefined when the request could not be built, which is a bug; then nothing has left this process. */
async function submit(
  deps: DeliveryDeps,
  mail: OutgoingMail,
  { mayStart, uploadMs }: { mayStart: () => boolean; uploadMs: number },
): Promise<SubmitResult | undefined> {
  const { provider, metrics, log, clock } = deps;
  const started = clock();
  const answer = await provider.submit(mail, mayStart, uploadMs).catch((err: unknown) => {
    log.error({ send_id: mail.tags.sendId, attempt: mail.tags.attempt, err }, "delivery.submit-threw");
    return undefined;
  });
  if (answer === undefined) return undefined;
  metrics.submitSeconds.observe({ outcome: answer.kind }, (clock() - started) / 1000);
  if (answer.kind !== "accepted" && answer.kind !== "not-started") {
    metrics.providerErrors.inc({ code: answer.errorCode ?? "other" });
  }
  return answer;
}
