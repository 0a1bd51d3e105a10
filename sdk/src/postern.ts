import { ApiKeys } from "./api-keys.ts";
import type { AcceptedSend, Account, GetUsageAnswer, GetUsageQuery } from "./api-types.ts";
import { Auth } from "./auth.ts";
import { connect, type PosternOptions } from "./connect.ts";
import { Domains } from "./domains.ts";
import { Events } from "./events.ts";
import { LoggedRequests } from "./logged-requests.ts";
import { type Mail, toSendRequest } from "./mail.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import { Sends } from "./sends.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";
import { Suppressions } from "./suppressions.ts";
import { wait } from "./wait.ts";
import { Webhooks } from "./webhooks.ts";

export type * from "./api-types.ts";
export type { PosternOptions } from "./connect.ts";
export type { Batch, Mail, MailAttachment } from "./mail.ts";
export {
  type ApiErrorCode,
  type ClientErrorCode,
  type ErrorCode,
  type FieldProblem,
  PosternError,
} from "./postern-error.ts";
export type { Call, Result } from "./result.ts";
export type { BatchOptions, CallOptions, ModeOptions } from "./settings.ts";
export { type VerifyWebhookOptions, verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts";
export type { WebhookSecret } from "./webhook-secret.ts";
export { WebhookVerificationError, type WebhookVerificationErrorCode } from "./webhook-verification-error.ts";

/**
 * A client for one Postern installation. Every call resolves to `{ data, error }`; with `.orThrow()` it resolves to the
 * data or throws the error. The API defines the field names.
 */
export class Postern {
  readonly sends: Sends;
  readonly events: Events;
  readonly suppressions: Suppressions;
  readonly domains: Domains;
  readonly apiKeys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly requests: LoggedRequests;
  readonly auth: Auth;
  readonly #request: Requester;

  constructor(options: PosternOptions) {
    const request = connect(options, { wait, random: Math.random, now: Date.now });
    this.#request = request;
    this.sends = new Sends(request);
    this.events = new Events(request);
    this.suppressions = new Suppressions(request);
    this.domains = new Domains(request);
    this.apiKeys = new ApiKeys(request);
    this.webhooks = new Webhooks(request);
    this.requests = new LoggedRequests(request);
    this.auth = new Auth(request);
  }

  /**
   * Sends a mail. A mail without an `idempotency_key` gets a random one. All attempts of the call use the same key, so the
   * service creates one send.
   */
  send(mail: Mail, { mode, ...options }: ModeOptions = {}): Call<AcceptedSend> {
    const idempotencyKey = mail.idempotency_key ?? crypto.randomUUID();
    const body = { ...toSendRequest(mail), idempotency_key: idempotencyKey };
    return this.#request(
      "POST /api/v1/send",
      { body, query: { mode } },
      { options, idempotencyKey, credential: "key-or-token" },
    );
  }

  /** Returns sends, recipients and outcomes of the account per hour, day or range, also of each domain, API key or tag. */
  usage(query: GetUsageQuery = {}, options?: CallOptions): Call<GetUsageAnswer> {
    return this.#request("GET /api/v1/usage", { query }, { options, credential: "key-or-token" });
  }

  /** Returns the account, mode and rate limits of the credential. */
  account(options?: CallOptions): Call<Account> {
    return this.#request("GET /api/v1/account", {}, { options, credential: "key-or-token" });
  }
}
