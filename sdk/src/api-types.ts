// Written by `npm run openapi` from service/openapi.json. Do not edit.

export type SendRequest = {
  /** `local@domain` or `Name <local@domain>`; the domain must be verified in the account */
  from: string;
  /** Recipients; at most 50 over `to`, `cc` and `bcc` */
  to: string[];
  /** 1 to 998 characters */
  subject: string;
  /** HTML body, up to 2 MiB. At least one of `html` and `text` is required */
  html?: string | null | undefined;
  /** Plain text body, up to 2 MiB */
  text?: string | null | undefined;
  cc?: string[] | null | undefined;
  bcc?: string[] | null | undefined;
  /** `local@domain` or `Name <local@domain>` */
  reply_to?: string | null | undefined;
  /** Makes the request safe to repeat: the same key with the same payload creates one send. Never expires */
  idempotency_key?: string | null | undefined;
} & (
  | { html: string | null; }
  | { text: string | null; }
);

/** Every error has this shape */
export interface ErrorBody {
  success: false;
  error: {
    code: "BAD_REQUEST" | "UNAUTHORIZED" | "DOMAIN_NOT_VERIFIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR" | "RATE_LIMIT_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE";
    /** What happened and what to do next */
    message: string;
    /** All problems of the request, on VALIDATION_ERROR */
    details?: Array<{
      /** The field, `body` for the body as a whole */
      field: string;
      /** Machine-readable cause */
      code: string;
      /** What to change */
      message: string;
    }> | undefined;
    /** Also in the header X-Request-Id */
    request_id: string;
    /** More about this code */
    doc_url: string;
  };
}

/** The account behind the credential */
export interface Account {
  /** The account */
  tenant_id: string;
  name: string;
  /** What this request was authenticated by */
  credential: "api_key" | "jwt";
  /** Whether a send with this credential is real */
  mode: "live" | "test";
  /** Sends the account may request in each window */
  rate_limits: {
    per_second: number;
    per_10_seconds: number;
    per_minute: number;
  };
}

/** An API key without its secret */
export interface ApiKey {
  id: string;
  name: string;
  /** `live` sends real mail, `test` never does */
  type: "live" | "test";
  /** First characters of the key, then `...` */
  key_prefix: string;
  /** Null when the key does not expire */
  expires_at: string | null;
  created_at: string;
}

/** The new key, with its secret for the only time */
export interface CreatedApiKey {
  id: string;
  name: string;
  /** `live` sends real mail, `test` never does */
  type: "live" | "test";
  /** First characters of the key, then `...` */
  key_prefix: string;
  /** Null when the key does not expire */
  expires_at: string | null;
  created_at: string;
  /** The full key. It is shown here and never again */
  key: string;
}

/** A pair of tokens */
export interface Tokens {
  /** Send it as Authorization: Bearer */
  access_token: string;
  token_type: "Bearer";
  /** Seconds until the access token expires */
  expires_in: number;
  /** Exchange it once at POST /api/v1/auth/refresh for the next pair */
  refresh_token: string;
}

/** The registered domain with the DNS records to publish */
export interface RegisteredDomain {
  domain_id: number;
  /** Owning account */
  tenant_id: string;
  /** In lower case, international names as A-labels */
  domain_name: string;
  /** The identity at the email provider */
  identity_arn: string;
  /** Publish all of them at the domain's DNS provider */
  dns_records: Array<{
    type: "TXT" | "CNAME";
    name: string;
    value: string;
  }>;
}

/** A domain without its DNS records */
export interface ListedDomain {
  domain_id: number;
  /** Owning account */
  tenant_id: string;
  /** In lower case, international names as A-labels */
  domain_name: string;
  /** The identity at the email provider */
  identity_arn: string;
  verification_status: "Pending" | "Success" | "Failed";
  configuration_set_name: string;
}

/** A domain with its DNS records */
export interface Domain {
  domain_id: number;
  /** Owning account */
  tenant_id: string;
  /** In lower case, international names as A-labels */
  domain_name: string;
  /** The identity at the email provider */
  identity_arn: string;
  verification_status: "Pending" | "Success" | "Failed";
  configuration_set_name: string;
  /** Publish all of them at the domain's DNS provider; the status is that of the last check */
  dns_records: Array<{
    type: "TXT" | "CNAME";
    name: string;
    value: string;
    /** Absent until DNS has answered */
    status?: "found" | "missing" | "wrong" | undefined;
    /** What is published instead, if anything */
    found_value?: string | undefined;
    /** What is probably the cause, and what to do */
    hint?: string | undefined;
  }>;
  last_checked_at: string | null;
  next_check_at: string;
}

/** Where a page lies in the whole list */
export interface Pagination {
  page: number;
  limit: number;
  /** How many there are in all, exactly */
  total: number;
  total_pages: number;
}

/** Where to read on, in answers to requests with `before` or a filter */
export interface Cursor {
  limit: number;
  /** Give it as `before` to read on; null at the end. It can be there although fewer than `limit` were found: one request looks at 10,000 entries at most */
  next_before: string | null;
}

/** One thing that happened to one recipient of a send */
export interface Event {
  id: string;
  /** The `id` of the send */
  email_id: string;
  event_type: "Delivery" | "Bounce" | "Complaint" | "Suppression";
  event_timestamp: string;
  recipient: string;
  /** Only on `Bounce` */
  bounce_type?: "Permanent" | "Transient" | undefined;
  /** Only on `Bounce`, in the provider's words */
  bounce_subtype?: string | undefined;
  /** Only on `Complaint`, and only when the mailbox provider told it */
  complaint_type?: string | undefined;
  /** Only on `Suppression` */
  suppression_reason?: "hard_bounce" | "complaint" | undefined;
  /** Only on `Suppression`: since when the address was on the list */
  suppressed_at?: string | undefined;
}

/** The send is stored and will be handed over */
export interface AcceptedSend {
  id: string;
  /** `queued`, or `suppressed` when every recipient is on the suppression list */
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  /** The key used; generated when none was given */
  idempotency_key: string;
  queued_at: string;
  /** True when this repeats the answer to an earlier request and nothing new was created */
  idempotent: boolean;
  /** Present only when somebody was filtered out */
  suppressed_recipients?: string[] | undefined;
}

/** What became of a send */
export interface SendRecord {
  id: string;
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  from_address: string;
  /** to, cc and bcc in this order, filtered ones included */
  to_addresses: string[];
  subject: string;
  queued_at: string;
  /** Null until handed to the provider */
  sent_at: string | null;
  /** Null until handed to the provider */
  provider_message_id: string | null;
  error_code: string | null;
  error_message: string | null;
}

/** What would become of a send, without sending it */
export interface SendVerdict {
  /** Whether `POST /api/v1/send` would answer 202 to the same request now */
  valid: boolean;
  would_answer: {
    status: 202 | 400 | 409 | 422 | 429;
    code: "DOMAIN_NOT_VERIFIED" | "CONFLICT" | "VALIDATION_ERROR" | "RATE_LIMIT_EXCEEDED" | null;
  };
  /** Every problem of the payload; what follows is null when there is one */
  problems: Array<{
    /** The field, `body` for the body as a whole */
    field: string;
    /** Machine-readable cause */
    code: string;
    /** What to change */
    message: string;
  }>;
  /** The domain of `from` */
  domain: {
    name: string;
    verified: boolean;
  } | null;
  /** Those of `to`, `cc` and `bcc`, each once */
  recipients: Array<{
    /** As given; one that stands in several lists is shown once */
    email: string;
    suppressed: boolean;
    reason?: "hard_bounce" | "complaint" | undefined;
    suppressed_at?: string | undefined;
  }> | null;
  /** True when every recipient is suppressed */
  would_be_suppressed: boolean | null;
  sizes: {
    recipients: number;
    subject_characters: number;
    html_bytes: number;
    text_bytes: number;
  } | null;
  /** Null without an idempotency key */
  idempotency: {
    state: "new" | "repeat" | "conflict";
    /** The send that has the key */
    id?: string | undefined;
    differing_fields?: string[] | undefined;
  } | null;
  /** What is left; this request is not counted */
  rate_limits: Array<{
    window_seconds: number;
    limit: number;
    remaining: number;
  }>;
}

/** All that is known of a send */
export interface Timeline {
  id: string;
  /** As it is now */
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  error_code: string | null;
  error_message: string | null;
  /** Oldest first. An attempt is there unless it was the first and the provider took it at once */
  entries: Array<{
    type: "accepted";
    at: string;
    /** How many were asked for, filtered ones included */
    recipients: number;
    /** Filtered when it was accepted */
    suppressed_recipients: string[];
  } | {
    type: "attempt";
    at: string;
    attempt: number;
    /** Null while it is under way */
    ended_at: string | null;
    /** `returned`: the provider was not asked; `detail` says why. Null while it is under way */
    outcome: "accepted" | "refused" | "try-later" | "unknown" | "returned" | null;
    provider_message_id: string | null;
    /** Of the provider */
    request_id: string | null;
    detail: string | null;
  } | {
    type: "submitted";
    at: string;
    provider_message_id: string;
  } | {
    type: "event";
    at: string;
    event: Event;
  }>;
  /** False when there are more than 500 attempts or events; the newest are shown */
  complete: boolean;
}

/** An address that sends of the account are not handed over to */
export interface Suppression {
  id: string;
  /** In lower case, its domain in ASCII */
  email: string;
  reason: "hard_bounce" | "complaint";
  suppressed_at: string;
}

export interface SendQuery {
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
}

export interface ValidateSendQuery {
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
}

export interface GetSendStatusQuery {
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
}

export interface GetSendTimelineQuery {
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
}

export interface ListSendsQuery {
  /** How many at most, 1 to 100 */
  limit?: number | undefined;
  /** Only what is older in the list than the entry with this id: for reading on, however far */
  before?: string | undefined;
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
  status?: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed" | undefined;
  /** Sends with this address in `to`, `cc` or `bcc` */
  recipient?: string | undefined;
  /** Sends from an address of this domain */
  domain?: string | undefined;
  provider_message_id?: string | undefined;
  /** Not older than this time */
  since?: string | undefined;
  /** Older than this time */
  until?: string | undefined;
}

/** Sends of the account */
export interface ListSendsAnswer {
  success: true;
  data: {
    /** Newest first */
    sends: SendRecord[];
    pagination: Cursor;
  };
}

export interface LogInBody {
  email: string;
  password: string;
}

export interface RefreshLoginBody {
  refresh_token: string;
}

/** The login has ended */
export interface LogOutAnswer {
  success: true;
  message: string;
}

export interface CreateApiKeyBody {
  /** Label, 1 to 200 characters */
  name: string;
  /** `live` sends real mail, `test` never does */
  type: "live" | "test";
  /** Omit for no expiration */
  expires_at?: string | null | undefined;
}

/** All keys of the account that are not revoked, newest first */
export type ListApiKeysAnswer = ApiKey[];

/** The key is revoked */
export interface RevokeApiKeyAnswer {
  message: string;
}

export interface RegisterDomainBody {
  /** The domain to register */
  domain_name: string;
}

/** All domains of the account */
export type ListDomainsAnswer = ListedDomain[];

/** The domain is removed */
export interface RemoveDomainAnswer {
  success: true;
}

export interface ListSuppressionsQuery {
  /** From 1, which is the default */
  page?: number | undefined;
  /** How many at most, 1 to 100 */
  limit?: number | undefined;
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
  /** Only what is older in the list than the entry with this id: for reading on, however far */
  before?: string | undefined;
}

/** Suppressed addresses of the account */
export interface ListSuppressionsAnswer {
  success: true;
  /** Newest first */
  data: Suppression[];
  pagination: Pagination | Cursor;
}

export interface RemoveSuppressionQuery {
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
}

/** The address is off the list */
export interface RemoveSuppressionAnswer {
  success: true;
  message: string;
}

export interface ListEventsQuery {
  type?: "Delivery" | "Bounce" | "Complaint" | "Suppression" | undefined;
  /** How many at most, 1 to 100 */
  limit?: number | undefined;
  /** From 1, which is the default */
  page?: number | undefined;
  /** With a JWT: `test` for test mode. An API key has its own mode */
  mode?: "live" | "test" | undefined;
  /** Only what is older in the list than the entry with this id: for reading on, however far */
  before?: string | undefined;
  /** Events of this send */
  email_id?: string | undefined;
  /** Events of this address */
  recipient?: string | undefined;
  /** Not older than this time */
  since?: string | undefined;
  /** Older than this time */
  until?: string | undefined;
}

/** Events of the account */
export interface ListEventsAnswer {
  success: true;
  data: {
    /** Newest first */
    events: Event[];
    pagination: Pagination | Cursor;
  };
}

/** Every operation, with what it takes and what it answers. */
export interface Operations {
  /** Send a mail */
  "POST /api/v1/send": {
    query: SendQuery;
    body: SendRequest;
    answer: AcceptedSend;
  };
  /** Try a send without sending */
  "POST /api/v1/send/validate": {
    query: ValidateSendQuery;
    body: SendRequest;
    answer: SendVerdict;
  };
  /** What became of a send */
  "GET /api/v1/send/{id}/status": {
    path: {
      id: string;
    };
    query: GetSendStatusQuery;
    answer: SendRecord;
  };
  /** All that happened to a send */
  "GET /api/v1/send/{id}/timeline": {
    path: {
      id: string;
    };
    query: GetSendTimelineQuery;
    answer: Timeline;
  };
  /** Find sends */
  "GET /api/v1/sends": {
    query: ListSendsQuery;
    answer: ListSendsAnswer;
  };
  /** Log in with email and password */
  "POST /api/v1/auth/login": {
    body: LogInBody;
    answer: Tokens;
  };
  /** Exchange a refresh token for a new pair */
  "POST /api/v1/auth/refresh": {
    body: RefreshLoginBody;
    answer: Tokens;
  };
  /** End this login */
  "POST /api/v1/auth/logout": {
    answer: LogOutAnswer;
  };
  /** Who am I? */
  "GET /api/v1/account": {
    answer: Account;
  };
  /** Create an API key */
  "POST /api/v1/api-keys": {
    body: CreateApiKeyBody;
    answer: CreatedApiKey;
  };
  /** List the account's API keys */
  "GET /api/v1/api-keys": {
    answer: ListApiKeysAnswer;
  };
  /** Revoke an API key for good */
  "DELETE /api/v1/api-keys/{id}": {
    path: {
      id: string;
    };
    answer: RevokeApiKeyAnswer;
  };
  /** Register a sending domain */
  "POST /api/v1/domains": {
    body: RegisterDomainBody;
    answer: RegisteredDomain;
  };
  /** List the account's domains */
  "GET /api/v1/domains": {
    answer: ListDomainsAnswer;
  };
  /** Get a domain with its DNS records */
  "GET /api/v1/domains/{id}": {
    path: {
      id: string;
    };
    answer: Domain;
  };
  /** Remove a domain */
  "DELETE /api/v1/domains/{id}": {
    path: {
      id: string;
    };
    answer: RemoveDomainAnswer;
  };
  /** Check the domain's DNS records now */
  "POST /api/v1/domains/{id}/verify": {
    path: {
      id: string;
    };
    answer: Domain;
  };
  /** Addresses that are not mailed */
  "GET /api/v1/suppression": {
    query: ListSuppressionsQuery;
    answer: ListSuppressionsAnswer;
  };
  /** Take an address off the list */
  "DELETE /api/v1/suppression/{email}": {
    path: {
      /** The address, URL-encoded */
      email: string;
    };
    query: RemoveSuppressionQuery;
    answer: RemoveSuppressionAnswer;
  };
  /** What happened to the account's mail */
  "GET /api/v1/events": {
    query: ListEventsQuery;
    answer: ListEventsAnswer;
  };
}
