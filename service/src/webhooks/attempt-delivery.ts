import type { Log } from "../log.ts";
import type { SecretPair } from "../secret.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { type NotificationHeaders, notificationHeaders } from "./notification-headers.ts";
import { openSigningSecrets } from "./open-signing-secrets.ts";
import type { Outbound, OutboundAnswer } from "./outbound/post-notification.ts";

export interface AttemptDeps {
  outbound: Pick<Outbound, "post">;
  contentKeys: SecretPair;
  /** Milliseconds; never runs slow (cautious-clock.ts). */
  clock: () => number;
  log: Log;
}

export interface AttemptAnswer extends Partial<Omit<OutboundAnswer, "isBusy">> {
  failure: string | undefined;
  /** What the request had; undefined when none was made. */
  request?: { url: string; signature: string } | undefined;
  /** `lost`: no attempt can be made any more. */
  result: "success" | "error-answer" | "no-answer" | "not-made" | "lost";
}

/** With 15 s for the attempt, this leaves 5 s of the lease for settling. */
const startWithinMs = 10_000;

/** Makes one signed POST. Never rejects. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  claimedAt: number,
): Promise<AttemptAnswer> {
  const { accountId, publicId, envelope, url, allowedNetworks } = delivery;
  if (publicId === null || envelope === null)
    return { failure: "The notification is no longer stored.", result: "lost" };
  const headers = headersOf(deps, delivery, publicId, envelope);
  if (headers === undefined) return notMade("The signing secret of the endpoint cannot be decrypted.");
  // After the lease another worker may have the delivery.
  if (deps.clock() - claimedAt > startWithinMs) return notMade("The worker had too little time left for this attempt.");
  const { isBusy, ...answer } = await deps.outbound.post({ accountId, url, headers, body: envelope, allowedNetworks });
  if (isBusy) return { ...answer, result: "not-made" };
  return { ...answer, request: { url, signature: headers["webhook-signature"] }, result: resultOf(answer) };
}

/** A missing key is a mistake of the operator, who can fix it: the delivery is retried, and the endpoint is not to blame. */
function headersOf(
  { contentKeys, log }: AttemptDeps,
  { id, endpointId, attempt, sealedSecrets, timestamp }: ClaimedDelivery,
  publicId: string,
  body: string,
): NotificationHeaders | undefined {
  try {
    const secrets = openSigningSecrets(contentKeys, endpointId, sealedSecrets);
    return notificationHeaders({ secrets, publicId, timestamp, body });
  } catch (err) {
    log.error({ delivery_id: id, endpoint_id: endpointId, attempt, err }, "webhook.not-signed");
    return undefined;
  }
}

function notMade(failure: string): AttemptAnswer {
  return { failure, result: "not-made" };
}

function resultOf({ failure, status }: OutboundAnswer): AttemptAnswer["result"] {
  if (failure === undefined) return "success";
  return status === undefined ? "no-answer" : "error-answer";
}
