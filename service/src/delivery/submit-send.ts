import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { EmailProvider, OutgoingMail, SubmitResult } from "../provider/email-provider.ts";
import { type ClaimedSend, leaseSeconds } from "../queue/claim-sends.ts";
import type { SecretPair } from "../secret.ts";
import { openContent, type SendContent } from "../sends/content.ts";
import { classifySubmitResult, domainNotVerified, laterOrFailed } from "./classify-result.ts";
import { type Delivery, type Move, statusAfter } from "./delivery.ts";

/** What handing over needs; made once per process. */
export interface DeliveryDeps {
  provider: Pick<EmailProvider, "submit">;
  contentKeys: SecretPair;
  giveUpAfterSeconds: number;
  log: Log;
  metrics: Metrics;
  /** Counts milliseconds, rather too many than too few (cautious-clock.ts). */
  clock: () => number;
}

/** The longest a hand-over takes; it must have ended before the lease has. */
const providerTimeoutSeconds = 15;
const startWithinMs = (leaseSeconds - providerTimeoutSeconds) * 1000;

/** Hands one claimed send over, if it still may go. `claimedAt` is when the claim was asked for, by the deps's clock. */
export async function submitSend(deps: DeliveryDeps, send: ClaimedSend, claimedAt: number): Promise<Delivery> {
  const started = deps.clock();
  const delivery = await decide(deps, send, claimedAt);
  const { outcome, move, requestId } = delivery;
  const facts = {
    send_id: send.id,
    attempt: send.attempt,
    outcome,
    status: statusAfter[move.kind],
    code: move.kind === "failed" ? move.code : undefined,
    request_id: requestId,
    duration_ms: Math.round(deps.clock() - started),
  };
  deps.log.info(facts, "delivery.attempted");
  return delivery;
}

async function decide(deps: DeliveryDeps, send: ClaimedSend, claimedAt: number): Promise<Delivery> {
  if (send.recipients.length === 0) return unasked({ kind: "suppressed" }, "all recipients are suppressed");
  if (send.domain === "gone" || send.configurationSetName === null) {
    return unasked({ kind: "failed", ...domainNotVerified }, "the domain was removed");
  }
  if (send.domain === "unverified") {
    return unasked(laterOrFailed(send, deps.giveUpAfterSeconds, domainNotVerified), "the domain is not verified");
  }
  if (send.sealed === null) return unasked({ kind: "failed", ...contentGone }, "the content is gone");
  const content = open(deps, send, send.sealed);
  if (content === undefined) {
    return unasked(laterOrFailed(send, deps.giveUpAfterSeconds, contentClosed), "the content cannot be opened");
  }
  const mail = outgoingMail(send, send.configurationSetName, content);
  // Nothing may come between this look and the request: after the lease another worker may have the send.
  if (deps.clock() - claimedAt >= startWithinMs) return unasked({ kind: "given-back" }, "too late to begin");
  // crash point: before-call
  const answer = await submit(deps, mail);
  if (answer === undefined) return unasked({ kind: "failed", ...notAMail }, "it cannot be made a mail");
  return classifySubmitResult(send, answer, deps.giveUpAfterSeconds);
}

const contentGone = { code: "INTERNAL", message: "The content of this send was dropped before it was sent." } as const;
const notAMail = { code: "INTERNAL", message: "This send could not be made a mail. Please report its id." } as const;
const contentClosed = { code: "INTERNAL", message: "The content of this send cannot be opened." } as const;

function unasked(move: Move, detail: string): Delivery {
  return { outcome: "returned", move, detail };
}

/** A key that is missing is the operator's slip and no reason to fail mail at once. */
function open({ contentKeys, log }: DeliveryDeps, send: ClaimedSend, sealed: Buffer): SendContent | undefined {
  try {
    return openContent(contentKeys, { accountId: send.accountId, sendId: send.id }, sealed);
  } catch (err) {
    log.error({ send_id: send.id, attempt: send.attempt, err }, "delivery.content-not-opened");
    return undefined;
  }
}

/** Only to those who are still allowed; all of `to` may be gone while others remain. */
function outgoingMail(send: ClaimedSend, configurationSetName: string, content: SendContent): OutgoingMail {
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

/** Undefined when there is a bug in what we wanted to hand over; then nothing has left. */
async function submit(deps: DeliveryDeps, mail: OutgoingMail): Promise<SubmitResult | undefined> {
  const { provider, metrics, log, clock } = deps;
  const started = clock();
  const answer = await provider.submit(mail).catch((err: unknown) => {
    log.error({ send_id: mail.tags.sendId, attempt: mail.tags.attempt, err }, "delivery.submit-threw");
    return undefined;
  });
  if (answer !== undefined) metrics.submitSeconds.observe({ outcome: answer.kind }, (clock() - started) / 1000);
  return answer;
}
