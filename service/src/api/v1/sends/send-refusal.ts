import type { RateUsage } from "../../../accept/accept-batch.ts";
import type { Acceptance } from "../../../accept/accept-send.ts";
import type { Unknown } from "../../../accept/decide-or-find.ts";
import type { DifferingFields } from "../../../accept/fingerprint.ts";
import { AppError } from "../../../errors.ts";
import { recipientsOf, type SendRequest } from "../../../sends/send-request.ts";
import type { IdentifiedSender } from "../../auth/authenticate.ts";
import { describeLimits } from "../../http/rate-limit-headers.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { domainNotVerified } from "./domain-not-verified.ts";
import { expiredOnArrival } from "./mail-times-wire.ts";
import { quotaExceeded } from "./quota-exceeded.ts";

type Refused = Exclude<Acceptance | Unknown, { accepted: unknown }>;

/** The error for a mail that was not accepted. `mail` is undefined when it was not valid. */
export function refusalOf(refused: Refused, sender: IdentifiedSender, mail: SendRequest | undefined): AppError {
  switch (refused.kind) {
    case "over-limit":
      return overLimit(refused.usage, refused.retryMs);
    case "conflict":
      return sender.domain === undefined ? conflict(refused.id, refused.fields) : conflictOfDomainKey();
    case "expired":
      return invalidRequest([expiredOnArrival]);
    case "domain-not-verified":
      return domainNotVerified(mail?.from.address.domain ?? "", sender.mode);
    case "over-quota":
      return quotaExceeded(refused.quota, sender.mode, mail === undefined ? 0 : recipientsOf(mail).length);
    case "attachments-gone":
      return new AppError("UNAVAILABLE", "The request took too long. Send it again.", { retryAfterSeconds: 1 });
    case "not-allowed":
      return new AppError("UNAUTHORIZED", "The credential is no longer valid. Create a new API key or log in again.");
    case "unknown":
      return refused.error;
    case "not-valid":
      throw new Error("the accept statement treated a valid payload as an invalid one");
  }
}

export function overLimit(usage: RateUsage, retryMs: number): AppError {
  const retryAfterSeconds = Math.ceil(retryMs / 1000);
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
