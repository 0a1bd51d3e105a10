/**
 * Why `verifyWebhook` refused a request. `bad_secret` is a mistake in the receiver. `too_old`, `too_new` and `no_matching_signature` can be a
 * mistake too: a wrong clock, the secret of another endpoint, or a body that a framework parsed and wrote again.
 */
export type WebhookVerificationErrorCode =
  | "missing_header"
  | "bad_timestamp"
  | "too_old"
  | "too_new"
  | "no_matching_signature"
  | "bad_secret"
  | "bad_body";

/** `verifyWebhook` throws it. Answer such a request with status 400 and do not use its body. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code: WebhookVerificationErrorCode;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}
