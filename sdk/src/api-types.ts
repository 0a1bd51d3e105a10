// Written by `npm run openapi` from service/openapi.json. Do not edit.

/** An email. A test key can send the example as it stands */
export type SendRequest = {
  /** `local@domain` or `Name <local@domain>`; the domain must be verified in the account */
  from: string;
  /** Recipients; at most 50 different ones in `to`, `cc` and `bcc` together */
  to: string[];
  /** 1 to 998 characters */
  subject: string;
  /** HTML body, up to 2 MiB. At least one of `html` and `text` is required */
  html?: string | null | undefined;
  /** Plain text body, up to 2 MiB */
  text?: string | null | undefined;
  /** Further recipients, visible to all */
  cc?: string[] | null | undefined;
  /** Further recipients, in no header of the mail */
  bcc?: string[] | null | undefined;
  /** `local@domain` or `Name <local@domain>` */
  reply_to?: string | null | undefined;
  /** Headers of the mail: `List-Unsubscribe`, `List-Unsubscribe-Post`, `In-Reply-To`, `References` and names that begin with `X-`, except `X-SES-`, `X-Amz` and `X-Postern-`. At most 15, each value at most 870 printable ASCII characters */
  headers?: Record<string, string> | null | undefined;
  /** Names to find and count sends by, at most 10 of 64 characters. They stay in Postern */
  tags?: string[] | null | undefined;
  /** Your own data about the send, a JSON object of at most 4,096 bytes. It comes back wherever the send does */
  metadata?: Record<string, unknown> | null | undefined;
  /** Up to 50 files. All of them together may have 10 MiB, decoded, unless the operator has set another limit; the mail as SES composes it may have 40 MB */
  attachments?: Array<{
    /** The name that recipients see, at most 255 characters, without a path */
    filename: string;
    /** The file in base64, padded and without line breaks */
    content: string;
    /** The media type, `application/octet-stream` by default */
    content_type?: string | null | undefined;
    /** For an image inside of the HTML, which names it as `cid:logo` */
    content_id?: string | null | undefined;
  }> | null | undefined;
  /** An ISO 8601 date-time, at most 30 days ahead or after `scheduled_at`. Postern does not submit the send after it: it fails with `EXPIRED`. The provider may still deliver later what it has accepted before */
  expires_at?: string | null | undefined;
  /** Instead of `expires_at`: how long after its acceptance, or after `scheduled_at`, the send expires, 1 to 2592000 seconds */
  ttl_seconds?: number | null | undefined;
  /** An ISO 8601 date-time, at most 30 days ahead, before which the send waits. A time in the past is now */
  scheduled_at?: string | null | undefined;
  /** Makes the request safe to repeat: the same key with the same payload creates one send. A key lasts as long as the record of its send */
  idempotency_key?: string | null | undefined;
} & (
  | { html: string; }
  | { text: string; }
);

/** Several emails. A test key can send the example as it stands */
export interface BatchRequest {
  /** Fields of every mail that does not set them itself. A field of a mail replaces the default as a whole; null removes it */
  defaults?: {
    /** `local@domain` or `Name <local@domain>`; the domain must be verified in the account */
    from?: string | undefined;
    /** Recipients; at most 50 different ones in `to`, `cc` and `bcc` together */
    to?: string[] | undefined;
    /** 1 to 998 characters */
    subject?: string | undefined;
    /** HTML body, up to 2 MiB. At least one of `html` and `text` is required */
    html?: string | null | undefined;
    /** Plain text body, up to 2 MiB */
    text?: string | null | undefined;
    /** Further recipients, visible to all */
    cc?: string[] | null | undefined;
    /** Further recipients, in no header of the mail */
    bcc?: string[] | null | undefined;
    /** `local@domain` or `Name <local@domain>` */
    reply_to?: string | null | undefined;
    /** Headers of the mail: `List-Unsubscribe`, `List-Unsubscribe-Post`, `In-Reply-To`, `References` and names that begin with `X-`, except `X-SES-`, `X-Amz` and `X-Postern-`. At most 15, each value at most 870 printable ASCII characters */
    headers?: Record<string, string> | null | undefined;
    /** Names to find and count sends by, at most 10 of 64 characters. They stay in Postern */
    tags?: string[] | null | undefined;
    /** Your own data about the send, a JSON object of at most 4,096 bytes. It comes back wherever the send does */
    metadata?: Record<string, unknown> | null | undefined;
    /** Up to 50 files. All of them together may have 10 MiB, decoded, unless the operator has set another limit; the mail as SES composes it may have 40 MB */
    attachments?: Array<{
      /** The name that recipients see, at most 255 characters, without a path */
      filename: string;
      /** The file in base64, padded and without line breaks */
      content: string;
      /** The media type, `application/octet-stream` by default */
      content_type?: string | null | undefined;
      /** For an image inside of the HTML, which names it as `cid:logo` */
      content_id?: string | null | undefined;
    }> | null | undefined;
    /** An ISO 8601 date-time, at most 30 days ahead or after `scheduled_at`. Postern does not submit the send after it: it fails with `EXPIRED`. The provider may still deliver later what it has accepted before */
    expires_at?: string | null | undefined;
    /** Instead of `expires_at`: how long after its acceptance, or after `scheduled_at`, the send expires, 1 to 2592000 seconds */
    ttl_seconds?: number | null | undefined;
    /** An ISO 8601 date-time, at most 30 days ahead, before which the send waits. A time in the past is now */
    scheduled_at?: string | null | undefined;
  } | null | undefined;
  /** 1 to 100 mails. With its defaults, each has the fields of `POST /api/v1/send`. Written out with their defaults, all mails together have at most 8 MiB */
  mails: Array<{
    /** `local@domain` or `Name <local@domain>`; the domain must be verified in the account */
    from?: string | undefined;
    /** Recipients; at most 50 different ones in `to`, `cc` and `bcc` together */
    to?: string[] | undefined;
    /** 1 to 998 characters */
    subject?: string | undefined;
    /** HTML body, up to 2 MiB. At least one of `html` and `text` is required */
    html?: string | null | undefined;
    /** Plain text body, up to 2 MiB */
    text?: string | null | undefined;
    /** Further recipients, visible to all */
    cc?: string[] | null | undefined;
    /** Further recipients, in no header of the mail */
    bcc?: string[] | null | undefined;
    /** `local@domain` or `Name <local@domain>` */
    reply_to?: string | null | undefined;
    /** Headers of the mail: `List-Unsubscribe`, `List-Unsubscribe-Post`, `In-Reply-To`, `References` and names that begin with `X-`, except `X-SES-`, `X-Amz` and `X-Postern-`. At most 15, each value at most 870 printable ASCII characters */
    headers?: Record<string, string> | null | undefined;
    /** Names to find and count sends by, at most 10 of 64 characters. They stay in Postern */
    tags?: string[] | null | undefined;
    /** Your own data about the send, a JSON object of at most 4,096 bytes. It comes back wherever the send does */
    metadata?: Record<string, unknown> | null | undefined;
    /** Up to 50 files. All of them together may have 10 MiB, decoded, unless the operator has set another limit; the mail as SES composes it may have 40 MB */
    attachments?: Array<{
      /** The name that recipients see, at most 255 characters, without a path */
      filename: string;
      /** The file in base64, padded and without line breaks */
      content: string;
      /** The media type, `application/octet-stream` by default */
      content_type?: string | null | undefined;
      /** For an image inside of the HTML, which names it as `cid:logo` */
      content_id?: string | null | undefined;
    }> | null | undefined;
    /** An ISO 8601 date-time, at most 30 days ahead or after `scheduled_at`. Postern does not submit the send after it: it fails with `EXPIRED`. The provider may still deliver later what it has accepted before */
    expires_at?: string | null | undefined;
    /** Instead of `expires_at`: how long after its acceptance, or after `scheduled_at`, the send expires, 1 to 2592000 seconds */
    ttl_seconds?: number | null | undefined;
    /** An ISO 8601 date-time, at most 30 days ahead, before which the send waits. A time in the past is now */
    scheduled_at?: string | null | undefined;
    /** Makes the request safe to repeat: the same key with the same payload creates one send. A key lasts as long as the record of its send */
    idempotency_key?: string | null | undefined;
  }>;
}

/** Body of every error response */
export interface ErrorBody {
  success: false;
  error: {
    code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "DOMAIN_NOT_VERIFIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "CONTENT_NOT_KEPT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR" | "BATCH_REFUSED" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE";
    /** What happened and what to do next */
    message: string;
    /** Every problem of the request; present on VALIDATION_ERROR, on CONFLICT from POST /api/v1/send, and on UNAUTHORIZED for a missing or wrong code */
    details?: Array<{
      /** Name of the field, or `body` for the whole body */
      field: string;
      /** Machine-readable cause */
      code: string;
      /** What to change */
      message: string;
    }> | undefined;
    /** Same value as the header X-Request-Id */
    request_id: string;
    /** Page that explains this code */
    doc_url: string;
  };
}

/** Position of a page in the list */
export interface Pagination {
  page: number;
  limit: number;
  /** Exact number of entries in the list */
  total: number;
  total_pages: number;
}

/** How to continue the list; present when the request has `before` or a filter */
export interface Cursor {
  limit: number;
  /** Pass it as `before` to continue; null at the end of the list. It can be present with fewer than `limit` entries, because one request searches at most 10,000 entries */
  next_before: string | null;
}

/** The account behind the credential */
export interface Account {
  /** Id of the account */
  tenant_id: string;
  name: string;
  /** The kind of credential that authenticated this request */
  credential: "api_key" | "jwt";
  /** `live`: sends in this mode go out; `test`: they never do */
  mode: "live" | "test";
  /** Send requests that the account may make in each window */
  rate_limits: {
    per_second: number;
    per_10_seconds: number;
    per_minute: number;
  };
  /** Each quota that the operator set for this account and mode, and what the account uses of it, as of a few seconds ago. Recipients of a day count from 00:00 UTC. A quota that is not set is unlimited */
  quotas: Array<{
    name: "recipients_per_day" | "queued_recipients" | "stored_content_bytes";
    limit: number;
    /** Can exceed `limit` */
    used: number;
    /** The account is on trial, and this is its limit */
    trial: boolean;
  }>;
  /** True while accepted mail of this mode waits because the mail of the account is on hold */
  held: boolean;
  /** Why the mail is on hold; null while it is not */
  held_reason: string | null;
  /** Users without two-factor authentication can only set it up */
  totp_required: boolean;
  /** Live mail of the last seven days by UTC, or since the operator released the account; a few seconds old. Absent for an API key for one domain, because it counts all domains */
  reputation?: {
    /** `unknown`: fewer than 200 outcomes; `warning`: a rate is above the line at which SES reviews senders */
    state: "unknown" | "good" | "warning";
    /** Recipients of live mail that was delivered or bounced permanently */
    outcomes: number;
    hard_bounces: number;
    complaints: number;
    /** Null below 200 outcomes */
    bounce_rate: number | null;
    /** Null below 200 outcomes */
    complaint_rate: number | null;
    /** One sentence for each rate above the review line */
    warnings: string[];
  } | undefined;
}

/** An API key without its secret */
export interface ApiKey {
  id: string;
  name: string;
  /** A `live` key sends real email; a `test` key never does */
  type: "live" | "test";
  /** First characters of the key, followed by `...` */
  key_prefix: string;
  /** Null when the key does not expire */
  expires_at: string | null;
  created_at: string;
  /** `send`: send and validate, status and timeline by id. `read`: sends, events, suppressions, domains, usage, and status and timeline by id. `suppressions`: remove suppressions. `domains`: register, verify and remove domains. `webhooks`: manage webhooks; needs `read` too. They never change */
  scopes: Array<"send" | "read" | "suppressions" | "domains" | "webhooks">;
  /** The only domain the key may send from; a subdomain is another domain. Such a key has the scope `send` only, and sees only the sends of its domain. Null when it may send from all */
  domain: string | null;
  /** When the key was last used, up to two minutes old; null when it was never used */
  last_used_at: string | null;
  /** The user who created the key, also after the user has left the account; null for keys of the operator */
  created_by: {
    user_id: string;
    email: string;
  } | null;
}

/** The new API key with its secret */
export interface CreatedApiKey {
  id: string;
  name: string;
  /** A `live` key sends real email; a `test` key never does */
  type: "live" | "test";
  /** First characters of the key, followed by `...` */
  key_prefix: string;
  /** Null when the key does not expire */
  expires_at: string | null;
  created_at: string;
  /** `send`: send and validate, status and timeline by id. `read`: sends, events, suppressions, domains, usage, and status and timeline by id. `suppressions`: remove suppressions. `domains`: register, verify and remove domains. `webhooks`: manage webhooks; needs `read` too. They never change */
  scopes: Array<"send" | "read" | "suppressions" | "domains" | "webhooks">;
  /** The only domain the key may send from; a subdomain is another domain. Such a key has the scope `send` only, and sees only the sends of its domain. Null when it may send from all */
  domain: string | null;
  /** When the key was last used, up to two minutes old; null when it was never used */
  last_used_at: string | null;
  /** The user who created the key, also after the user has left the account; null for keys of the operator */
  created_by: {
    user_id: string;
    email: string;
  } | null;
  /** The full key. No other response contains it */
  key: string;
}

/** The API key with its new secret */
export interface RolledApiKey {
  id: string;
  name: string;
  /** A `live` key sends real email; a `test` key never does */
  type: "live" | "test";
  /** First characters of the key, followed by `...` */
  key_prefix: string;
  /** Null when the key does not expire */
  expires_at: string | null;
  created_at: string;
  /** `send`: send and validate, status and timeline by id. `read`: sends, events, suppressions, domains, usage, and status and timeline by id. `suppressions`: remove suppressions. `domains`: register, verify and remove domains. `webhooks`: manage webhooks; needs `read` too. They never change */
  scopes: Array<"send" | "read" | "suppressions" | "domains" | "webhooks">;
  /** The only domain the key may send from; a subdomain is another domain. Such a key has the scope `send` only, and sees only the sends of its domain. Null when it may send from all */
  domain: string | null;
  /** When the key was last used, up to two minutes old; null when it was never used */
  last_used_at: string | null;
  /** The user who created the key, also after the user has left the account; null for keys of the operator */
  created_by: {
    user_id: string;
    email: string;
  } | null;
  /** The full key. No other response contains it */
  key: string;
  /** Every earlier secret of the key has ended at this time */
  previous_secrets_end_at: string;
}

/** Who did what in the account */
export interface AuditEntry {
  id: string;
  at: string;
  actor: {
    /** `command-line`: the operator; `system`: Postern itself; `anonymous`: nobody proved who it was */
    kind: "user" | "key" | "operator" | "command-line" | "system" | "anonymous";
    /** Id of the user or the API key */
    id: string | null;
    /** Email of the user, prefix of the key or name of the operator, as it was then */
    name: string | null;
  };
  action: "account.create" | "account.delete" | "account.delete-undo" | "account.export" | "account.guard-change" | "account.guard-hold" | "account.guard-release" | "account.hold" | "account.limits-change" | "account.quotas-change" | "account.release" | "account.resume" | "account.settings-change" | "account.suspend" | "account.switch" | "account.webhook-networks-change" | "address.erase" | "api-key.create" | "api-key.revoke" | "api-key.roll" | "content.read" | "domain.mail-from-change" | "domain.register" | "domain.remove" | "domain.verify" | "invitation.accept" | "invitation.create" | "invitation.revoke" | "log-in" | "log-in.fail" | "log-out" | "member.add" | "member.close" | "member.open" | "member.remove" | "member.role-change" | "password.change" | "password.reset" | "password.reset-request" | "operator.change" | "quarantine.read" | "quarantine.replay" | "send.cancel" | "send.retry" | "session.end" | "session.end-others" | "session.end-stolen" | "session.replace" | "suppression.add" | "suppression.import" | "suppression.remove" | "totp.confirm" | "totp.disable" | "totp.enrol" | "totp.recovery-codes-renew" | "webhook.change" | "webhook.create" | "webhook.curl" | "webhook.delete" | "webhook.replay" | "webhook.replay-cancel" | "webhook.replay-range" | "webhook.rotate" | "webhook.test";
  target: {
    kind: string;
    id: string | null;
    name: string | null;
  };
  /** What the action changed, before it; without secrets */
  before: Record<string, unknown> | null;
  /** The same after it */
  after: Record<string, unknown> | null;
  /** IP address of the request; null for an operator of the installation */
  address: string | null;
  /** The `X-Request-Id` of the request */
  request_id: string | null;
  /** Why an operator of the installation did it */
  reason: string | null;
}

/** An access token and the refresh token that renews it */
export interface Tokens {
  /** Send it in the header `Authorization: Bearer` */
  access_token: string;
  token_type: "Bearer";
  /** Seconds until the access token expires */
  expires_in: number;
  /** Exchange it at POST /api/v1/auth/refresh for the next tokens. Absent with `browser`: it is in the cookie */
  refresh_token?: string | undefined;
}

/** The user behind an access token */
export interface Me {
  user_id: string;
  email: string;
  /** Whether the user is an operator of the installation */
  is_operator: boolean;
  /** How the user logs in */
  log_in: {
    /** With a password of this installation */
    password: boolean;
    /** At the OIDC issuer, which also asks for a second factor */
    oidc: boolean;
    /** Two-factor authentication of this installation is on */
    totp: boolean;
  };
  /** The account that the access token is for */
  tenant_id: string;
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
  /** All accounts of the user; `POST /api/v1/auth/switch` gives a token for another one */
  memberships: Array<{
    tenant_id: string;
    name: string;
    /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
    role: "viewer" | "developer" | "owner";
    suspended: boolean;
  }>;
}

/** The account that the person has joined */
export interface Joined {
  message: string;
  tenant_id: string;
  name: string;
  email: string;
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
}

/** How people can log in */
export interface LoginMethods {
  password: true;
  /** Null without log-in by OIDC */
  oidc: {
    /** A browser opens this path to log in at the issuer */
    start_path: string;
  } | null;
  /** Whether this installation mails links that reset a password */
  password_reset: boolean;
}

/** A login of the user that has not ended */
export interface Session {
  /** Id of the session */
  id: string;
  /** True for the session of this request */
  current: boolean;
  /** `User-Agent` of the last log-in or refresh; null if it had none */
  device: string | null;
  /** IP address of the last log-in or refresh; null if it is unknown */
  address: string | null;
  /** Time of the log-in */
  created_at: string;
  /** Time of the last refresh, accurate to two minutes */
  last_used_at: string;
  /** Time at which the session ends in any case */
  expires_at: string;
}

/** What was sent */
export interface SendContent {
  id: string;
  /** Mode of the send */
  mode: "live" | "test";
  /** As the caller wrote it */
  from: string;
  /** As the caller wrote them, including suppressed recipients; each address once, in its first list */
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string | null;
  subject: string;
  /** As accepted. It may contain anything: never show it outside of a sandbox */
  html: string | null;
  text: string | null;
  /** Present when the request had attachments */
  attachments?: Array<{
    filename: string;
    content_type: string;
    /** Of an image inside of the HTML */
    content_id: string | null;
    /** Bytes */
    size: number;
    /** Of the bytes, as hexadecimal digits */
    sha256: string;
    /** The path that returns the bytes, with the same credential */
    url: string;
  }> | undefined;
  /** Present when the request had headers */
  headers?: Record<string, string> | undefined;
}

/** A one-use address that shows the mail */
export interface ContentView {
  /** A path of this host name for the `src` of a frame. It works once, and without an Authorization header */
  url: string;
  expires_at: string;
  /** Whether `GET /api/v1/send/{id}/content` lists attachments */
  has_attachments: boolean;
}

/** A DNS record as the name server and the resolver answer it now */
export interface SeenDnsRecord {
  type: "TXT" | "CNAME" | "MX";
  name: string;
  /** The value to publish; null where no record is needed */
  expected: string | null;
  purpose: "ownership" | "dkim" | "mail-from" | "spf" | "dmarc";
  /** Whether the domain is verified only with this record */
  required: boolean;
  /** What is published now: the status at the name server, or at the resolver when the name server did not answer */
  status: "found" | "missing" | "wrong" | "unknown";
  /** What a name server of the zone answers */
  authoritative: {
    /** The name server of the zone that was asked; null when none answered */
    server: string | null;
    status: "found" | "missing" | "wrong" | "unknown";
    /** At most 20, each shortened to 512 characters */
    values: string[];
    ttl_seconds: number | null;
    /** Why the status is `unknown`. `alias-elsewhere`: the name is a CNAME into another zone. `delegated`: other name servers serve it */
    problem: "no-answer" | "server-error" | "alias-loop" | "alias-elsewhere" | "delegated" | null;
  };
  /** What the resolver of this installation answers, which Postern's own checks ask as well */
  resolver: {
    status: "found" | "missing" | "wrong" | "unknown";
    /** At most 20, each shortened to 512 characters */
    values: string[];
    /** How long the resolver still remembers these values */
    ttl_seconds: number | null;
    /** Until when the resolver remembers that there is no record; null when there is one, or it does not say */
    negative_until: string | null;
    /** Why the status is `unknown`. `alias-elsewhere`: the name is a CNAME into another zone. `delegated`: other name servers serve it */
    problem: "no-answer" | "server-error" | "alias-loop" | "alias-elsewhere" | "delegated" | null;
  };
  /** What to do, in plain words; null when there is nothing to do */
  advice: string | null;
}

/** The DNS records of a domain as they are now */
export interface DomainDns {
  domain_id: number;
  domain_name: string;
  verification_status: "Pending" | "Success" | "Failed";
  /** When DNS was asked; a response may be up to 5 seconds old */
  checked_at: string;
  /** The last scheduled check, which decides the verification status */
  last_checked_at: string | null;
  /** The next scheduled check */
  next_check_at: string;
  /** The zone that has the records; null when DNS did not answer */
  zone: string | null;
  /** The name servers of the zone, at most 4 */
  name_servers: string[];
  /** All name servers have addresses of internal networks, which Postern does not ask */
  internal_name_servers: boolean;
  /** The DMARC policy that applies to mail of the domain; it may come from the registrable domain */
  dmarc: {
    policy: "none" | "quarantine" | "reject";
    /** The name of its record */
    name: string;
  } | null;
  records: SeenDnsRecord[];
}

/** The registered domain with the DNS records to publish */
export interface RegisteredDomain {
  domain_id: number;
  /** Owning account */
  tenant_id: string;
  /** In lower case; international names as A-labels */
  domain_name: string;
  /** The identity at the email provider */
  identity_arn: string;
  /** Publish every record at the domain's DNS provider */
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
  /** In lower case; international names as A-labels */
  domain_name: string;
  /** The identity at the email provider */
  identity_arn: string;
  verification_status: "Pending" | "Success" | "Failed";
  configuration_set_name: string;
  last_checked_at: string | null;
  next_check_at: string;
  /** How many of its DNS records the last check found */
  records_found: number;
  /** How many DNS records it needs */
  records_total: number;
}

/** A domain with its DNS records */
export interface Domain {
  domain_id: number;
  /** Owning account */
  tenant_id: string;
  /** In lower case; international names as A-labels */
  domain_name: string;
  /** The identity at the email provider */
  identity_arn: string;
  verification_status: "Pending" | "Success" | "Failed";
  configuration_set_name: string;
  last_checked_at: string | null;
  next_check_at: string;
  /** Publish every record at the domain's DNS provider. The status comes from the last check */
  dns_records: Array<{
    type: "TXT" | "CNAME";
    name: string;
    value: string;
    /** Absent until a DNS server has answered */
    status?: "found" | "missing" | "wrong" | undefined;
    /** The value that is published instead; absent when there is none */
    found_value?: string | undefined;
    /** The probable cause and how to fix it */
    hint?: string | undefined;
  }>;
  /** The custom MAIL FROM domain with its DNS records; null while mail uses the return path of SES */
  mail_from: {
    domain: string;
    /** Whether SES uses it. `Pending`: SES has not found the MX record yet. `Failed`: SES stopped looking; set it again */
    status: "Pending" | "Success" | "Failed";
    records: Array<{
      type: "MX" | "TXT";
      name: string;
      value: string;
    }>;
  } | null;
}

/** Why the mail was not delivered and what to do, in plain words */
export interface BounceExplanation {
  cause: "suppressed-by-ses" | "greylisted" | "too-large" | "mailbox-full" | "inactive-mailbox" | "unreachable" | "unknown-mailbox" | "too-much-mail" | "blocked-sender" | "policy" | "spam" | "content" | "unclear";
  meaning: string;
  next_step: string;
}

/** What happened to one recipient of a send */
export interface Event {
  id: string;
  /** The `id` of the send */
  email_id: string;
  event_type: "Delivery" | "Bounce" | "Complaint" | "Suppression";
  event_timestamp: string;
  /** As the send spells it; as the provider reported it, if it is not in the send */
  recipient: string;
  /** Mode of the send */
  mode: "live" | "test";
  /** Only on `Bounce` */
  bounce_type?: "Permanent" | "Transient" | undefined;
  /** Only on `Bounce`, as the provider reports it */
  bounce_subtype?: string | undefined;
  /** Only on `Complaint`, and only when the mailbox provider reported it */
  complaint_type?: string | undefined;
  /** Only on `Bounce`: the enhanced status code of the receiving server */
  bounce_status?: string | undefined;
  /** Only on `Bounce`: the words of the receiving server, at most 1,000 characters */
  diagnostic?: string | undefined;
  /** Only on `Bounce` */
  explanation?: BounceExplanation | undefined;
  /** Only on `Delivery`: the answer of the receiving server */
  smtp_response?: string | undefined;
  /** Only on `Delivery`: milliseconds from the submission to the provider to the delivery */
  duration_ms?: number | undefined;
  /** The mail server that reported the delivery or bounce */
  reporting_mta?: string | undefined;
  /** Only on `Suppression` */
  suppression_reason?: "complaint" | "hard_bounce" | "manual" | undefined;
  /** Only on `Suppression`: when the address was suppressed */
  suppressed_at?: string | undefined;
  /** Present when the send has tags */
  tags?: string[] | undefined;
  /** Present when the send has metadata */
  metadata?: Record<string, unknown> | undefined;
}

/** An open invitation to the account */
export interface Invitation {
  id: string;
  email: string;
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
  /** Id of the owner who invited; null for the operator of the installation */
  invited_by: string | null;
  created_at: string;
  expires_at: string;
}

/** The new invitation */
export interface CreatedInvitation {
  id: string;
  email: string;
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
  /** Id of the owner who invited; null for the operator of the installation */
  invited_by: string | null;
  created_at: string;
  expires_at: string;
  /** True when this installation mails the links. It does not show whether the mail arrives */
  mailed: boolean;
  /** Pass it on to the invited person. No other response contains it. Null when this installation mails the links */
  link: string | null;
}

/** A person who belongs to the account */
export interface Member {
  user_id: string;
  email: string;
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
  /** When the person became a member */
  created_at: string;
}

/** An account as an operator sees it */
export interface OperatorAccount {
  /** Id of the account */
  tenant_id: string;
  name: string;
  /** With which its first owner logs in; null when the account has no user */
  email: string | null;
  created_at: string;
  /** Its keys and tokens are refused */
  suspended: boolean;
  /** The hold of an operator on all its mail; null when there is none */
  hold: {
    held_at: string;
    note: string | null;
  } | null;
  /** Bounces and complaints, a few seconds old */
  guard: {
    /** `false`: it counts and warns, and never holds */
    on: boolean;
    /** Since when it holds the live mail; null when it does not */
    held_at: string | null;
    /** Why it holds the mail */
    reason: string | null;
    /** Of the last release, from which it counts */
    released_at: string | null;
    /** `unknown`: fewer than 200 outcomes */
    state: "unknown" | "good" | "warning";
    /** Recipients of live mail that was delivered or bounced permanently within seven days */
    outcomes: number;
    /** Those that bounced permanently */
    hard_bounces: number;
    /** Recipients who reported the mail as spam */
    complaints: number;
    /** Null below 200 outcomes */
    bounce_rate: number | null;
    /** Null below 200 outcomes */
    complaint_rate: number | null;
  };
  /** Live and test mail share them; sends count for each of both */
  limits: {
    /** Sends in one second */
    per_second: number;
    /** Sends in ten seconds */
    per_10_seconds: number;
    /** Sends in one minute */
    per_minute: number;
    /** Registered domains */
    domains: number;
    /** Usable API keys */
    api_keys: number;
    /** Registrations and removals of domains in one minute */
    domain_changes_per_minute: number;
  };
  live: {
    quotas: {
      /** Recipients from 00:00 to 24:00 UTC; null is unlimited */
      recipients_per_day: number | null;
      /** Recipients that wait in the queue; null is unlimited */
      queued_recipients: number | null;
      /** Bytes of stored content; null is unlimited */
      stored_content_bytes: number | null;
      /** Recipients a day while the account is on trial; null when it is not */
      trial: number | null;
    };
    usage: {
      /** Accepted since 00:00 UTC */
      recipients_today: number;
      /** Accepted in the last 23 to 24 hours, a few seconds old */
      recipients_last_24_hours: number;
    };
  };
  test: {
    quotas: {
      /** Recipients from 00:00 to 24:00 UTC; null is unlimited */
      recipients_per_day: number | null;
      /** Recipients that wait in the queue; null is unlimited */
      queued_recipients: number | null;
      /** Bytes of stored content; null is unlimited */
      stored_content_bytes: number | null;
      /** Recipients a day while the account is on trial; null when it is not */
      trial: number | null;
    };
    usage: {
      /** Accepted since 00:00 UTC */
      recipients_today: number;
      /** Accepted in the last 23 to 24 hours, a few seconds old */
      recipients_last_24_hours: number;
    };
  };
}

/** A notification of SES that could not be applied */
export interface QuarantineEntry {
  id: number;
  received_at: string;
  /** Why it could not be applied. `unknown-send`: the database has no such send */
  reason: "unknown-send" | "unreadable" | "from-the-future";
  tries: number;
  /** Null when it is no longer retried */
  next_try_at: string | null;
  /** Characters of the notification */
  length: number;
}

/** A notification of SES that could not be applied, with its text */
export interface QuarantinedNotification {
  id: number;
  received_at: string;
  /** Why it could not be applied. `unknown-send`: the database has no such send */
  reason: "unknown-send" | "unreadable" | "from-the-future";
  tries: number;
  /** Null when it is no longer retried */
  next_try_at: string | null;
  /** Characters of the notification */
  length: number;
  /** The notification as it arrived; it contains addresses */
  raw: string;
}

/** The state of the whole installation, at most a second old */
export interface OperatorStatus {
  /** What `postern status` shows; empty when there is no problem */
  problems: Array<{
    what: string;
    advice: string;
    /** The first command of the advice that can be run as it stands; null when it has none */
    command: string | null;
    /** The heading in docs/runbook.md that explains it, as in a link to it */
    runbook: "mail-is-not-going-out" | "ses-paused-or-the-quota-used-up" | "ses-reviews-the-aws-account" | "ses-denies-one-domain" | "a-flood-by-one-customer" | "the-guard-holds-an-account" | "old-mail-of-an-account-on-hold" | "stuck-in-processing" | "feedback-is-missing" | "events-are-in-the-dead-letter-queue" | "webhooks-are-not-delivered" | "the-api-answers-503" | "a-process-does-not-fit-the-schema" | "the-database-is-full" | "partitions-end-soon" | "vacuum-is-blocked" | "after-a-restore-or-failover" | "an-account-moves" | null;
    /** The account that it concerns, if it concerns one */
    tenant_id: string | null;
    /** Mail that could go out waits because of it */
    stops_mail: boolean;
  }>;
  mail: Array<{
    mode: "live" | "test";
    /** Queued sends of all accounts by their state */
    queue: {
      ready: {
        /** 10,000 means as many or more */
        sends: number;
        /** Age of the oldest of them; null when there is none */
        oldest_seconds: number | null;
      };
      waiting: {
        /** 10,000 means as many or more */
        sends: number;
        /** Age of the oldest of them; null when there is none */
        oldest_seconds: number | null;
      };
      leased: {
        /** 10,000 means as many or more */
        sends: number;
        /** Age of the oldest of them; null when there is none */
        oldest_seconds: number | null;
      };
      in_doubt: {
        /** 10,000 means as many or more */
        sends: number;
        /** Age of the oldest of them; null when there is none */
        oldest_seconds: number | null;
      };
      parked: {
        /** 10,000 means as many or more */
        sends: number;
        /** Age of the oldest of them; null when there is none */
        oldest_seconds: number | null;
      };
    };
    /** The hold that answers of SES caused; null while SES accepts mail */
    hold: {
      /** `quota`, `paused`, `suspended` or `operator` */
      reason: string;
      /** How long it has lasted */
      held_seconds: number;
      /** When a worker tries the next send */
      next_try_seconds: number;
    } | null;
    /** The hold of `postern admin hold`; null when there is none */
    operator_hold: {
      /** How long it has lasted */
      held_seconds: number;
      note: string | null;
    } | null;
    /** Reports of SES about submitted mail */
    feedback: {
      /** Since the last report of SES; null for never */
      last_report_seconds_ago: number | null;
      /** Since a worker last polled the queue of reports; null for never */
      polled_seconds_ago: number | null;
      /** What is missing; null when nothing is */
      gap: "no-reports" | "not-polled" | null;
    };
  }>;
  /** Notifications of SES that could not be applied, by their reason; at most the newest 10,000 are counted */
  quarantine: Array<{
    reason: string;
    entries: number;
  }>;
  /** Failovers and restores of the database; at most ten, newest first */
  failovers: Array<{
    noticed_at: string;
    /** `server`: another server, timeline or database. `rewound`: less data on disk than before. `feedback`: SES reports sends that the database does not have. `operator`: declared by `postern admin failover declare` */
    cause: "server" | "rewound" | "feedback" | "operator";
    server_before: string | null;
    server_after: string;
    /** Sends that workers marked as in doubt */
    marked_in_doubt: number;
    /** Workers are still marking sends, and submit none until they are done */
    sweeping: boolean;
  }>;
  /** Size of the database, which a worker measures every hour */
  database: {
    bytes: number | null;
    /** Growth; null until it is known */
    bytes_per_day: number | null;
    /** `DATABASE_DISK_GB` */
    limit_bytes: number | null;
    full_in_seconds: number | null;
    /** Since a worker measured it; null for never */
    measured_seconds_ago: number | null;
    /** How long the samples behind the growth span; the forecast needs a week */
    sampled_seconds: number;
    /** The last measurement of each of 30 days (UTC), oldest first */
    history: Array<{
      at: string;
      bytes: number;
    }>;
  };
}

/** The processes of the installation, by their last heartbeat */
export interface OperatorProcesses {
  /** Those of the last hour, and the last worker */
  processes: Array<{
    id: string;
    role: "api" | "worker" | "serve";
    /** Host and process */
    name: string;
    version: string;
    /** `vanished`: no heartbeat for 20 s and no orderly stop */
    condition: "alive" | "stopped" | "vanished";
    /** Another process of its role has started since */
    replaced: boolean;
    /** Since its start */
    started_seconds_ago: number;
    /** Since its last heartbeat */
    seen_seconds_ago: number;
    /** For how long it cannot take sends from the queue; null when it can */
    claims_failing_seconds: number | null;
    /** For how long it cannot read the queue of chores; null when it can */
    chores_failing_seconds: number | null;
    /** Since it last took a live send; null for never */
    live_claimed_seconds_ago: number | null;
    /** Since it last took a test send; null for never */
    test_claimed_seconds_ago: number | null;
  }>;
  failing_chores: Array<{
    name: string;
    /** For how long */
    failing_seconds: number;
    /** It hangs, or no worker starts it; otherwise its last runs failed */
    overdue: boolean;
  }>;
}

/** Quota and reputation of the AWS account at SES, as workers last read them */
export interface OperatorSes {
  /** What SES allows the AWS account */
  quota: {
    /** Recipients a second; null until it is known */
    per_second: number | null;
    /** Recipients in 24 hours; null when SES sets no limit, or until it is known */
    per_day: number | null;
    /** Null until it is known */
    used_last_24_hours: number | null;
    /** Since a worker read it; null for never */
    read_seconds_ago: number | null;
  };
  /** The hold that answers of SES caused; null while SES accepts mail */
  hold: {
    /** `quota`, `paused`, `suspended` or `operator` */
    reason: string;
    /** How long it has lasted */
    held_seconds: number;
    /** When a worker tries the next send */
    next_try_seconds: number;
  } | null;
  /** What SES thinks of the AWS account */
  reputation: {
    /** `HEALTHY`, `PROBATION` or `SHUTDOWN`; null until it is known */
    enforcement_status: string | null;
    /** Since a worker read it; null for never */
    read_seconds_ago: number | null;
    /** At most 20, high impact first; null when SES does not offer them to this AWS account */
    findings: Array<{
      kind: string;
      impact: string;
      /** ARN of what it concerns; empty when SES names none */
      resource: string;
    }> | null;
    finding_count: number | null;
    /** Since a worker read them; null for never */
    findings_read_seconds_ago: number | null;
  };
  /** Addresses that an account removed from its suppressions, and SES did not remove from its list */
  failed_removals: {
    /** 10,000 means as many or more */
    total: number;
    /** The newest 50, without the addresses, which the members of the account see */
    removals: Array<{
      /** The account that removed the address from its suppressions */
      tenant_id: string;
      /** Its name */
      name: string;
      removed_at: string;
      /** `refused`: SES does not accept the address, and nobody tries again */
      status: "pending" | "refused";
      /** While `pending` */
      next_try_at: string | null;
      /** Of the last try */
      error: "throttled" | "unavailable" | "denied" | "limit_reached" | "invalid";
    }>;
  };
}

/** A request of the account, without any content of it */
export interface LoggedRequest {
  /** Id of the entry */
  id: string;
  /** When the response was sent */
  at: string;
  /** The `X-Request-Id` of the response */
  request_id: string;
  method: string;
  /** Pattern of the path, without ids and query */
  route: string;
  status: number;
  /** Null when the request was accepted */
  error_code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "DOMAIN_NOT_VERIFIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "CONTENT_NOT_KEPT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR" | "BATCH_REFUSED" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE" | null;
  /** The first problems of the fields of the request, at most 10 */
  details: Array<{
    /** Name of the field; `…` stands for a name that the request chose itself */
    field: string;
    /** Machine-readable cause */
    code: string;
    /** What to change; null where the message would repeat a value of the request */
    message: string | null;
  }>;
  /** Mode of the key; `live` for a user */
  mode: "live" | "test";
  /** Null for a request of a user */
  api_key: {
    id: string;
    name: string | null;
    key_prefix: string | null;
  } | null;
  /** Null for a request of an API key */
  user_id: string | null;
  /** IP address of the client */
  address: string | null;
}

/** The stored send */
export interface AcceptedSend {
  id: string;
  /** `queued`, or `suppressed` when every recipient is on the suppression list */
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  /** The key of the request, or a generated one */
  idempotency_key: string;
  queued_at: string;
  /** True when this is the response to an earlier identical request and no new send was created */
  idempotent: boolean;
  /** Present only when at least one recipient was suppressed */
  suppressed_recipients?: string[] | undefined;
  /** Present when the request has it */
  scheduled_at?: string | undefined;
  /** Present only when the mail of the account is on hold: the new send waits until the hold ends */
  held?: true | undefined;
  /** Present with `held`: why the mail of the account is on hold */
  held_reason?: string | undefined;
}

/** A send with its status */
export interface SendRecord {
  id: string;
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  from_address: string;
  /** `to`, `cc` and `bcc` in this order, including suppressed recipients */
  to_addresses: string[];
  subject: string;
  queued_at: string;
  /** Null until the provider accepts the send */
  sent_at: string | null;
  /** Null until the provider accepts the send */
  provider_message_id: string | null;
  /** Null unless the send failed */
  error_code: string | null;
  /** What happened; null unless the send failed */
  error_message: string | null;
  /** Mode of the send */
  mode: "live" | "test";
  /** Present when the send has tags */
  tags?: string[] | undefined;
  /** Present when the send has metadata */
  metadata?: Record<string, unknown> | undefined;
  /** Present when the send expires: Postern does not submit it after this time */
  expires_at?: string | undefined;
  /** Present when the send was scheduled. Its status is `queued` until a worker has it after this time */
  scheduled_at?: string | undefined;
}

/** `send` with status 202; otherwise `error`, with the status that `POST /api/v1/send` would have */
export type BatchVerdict = {
  status: 202;
  send: AcceptedSend;
} | {
  status: 400 | 401 | 409 | 422 | 429 | 503;
  error: {
    code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "DOMAIN_NOT_VERIFIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "CONTENT_NOT_KEPT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR" | "BATCH_REFUSED" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE";
    /** What happened and what to do next */
    message: string;
    /** Every problem of the request; present on VALIDATION_ERROR, on CONFLICT from POST /api/v1/send, and on UNAUTHORIZED for a missing or wrong code */
    details?: Array<{
      /** Name of the field, or `body` for the whole body */
      field: string;
      /** Machine-readable cause */
      code: string;
      /** What to change */
      message: string;
    }> | undefined;
    /** Same value as the header X-Request-Id */
    request_id: string;
    /** Page that explains this code */
    doc_url: string;
    /** Present where `POST /api/v1/send` has the header `Retry-After` */
    retry_after_seconds?: number | undefined;
  };
};

/** At least one mail was accepted; the verdict of each mail */
export interface BatchVerdicts {
  /** How many mails were accepted, repeats included */
  accepted: number;
  /** How many were not */
  refused: number;
  /** One for each mail, in the order of `mails` */
  verdicts: BatchVerdict[];
}

/** `VALIDATION_ERROR`: the batch as a whole is not valid. `BATCH_REFUSED`: no mail was accepted; `verdicts` says why */
export interface RefusedBatch {
  success: false;
  error: {
    code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "DOMAIN_NOT_VERIFIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "CONTENT_NOT_KEPT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR" | "BATCH_REFUSED" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE";
    /** What happened and what to do next */
    message: string;
    /** Every problem of the request; present on VALIDATION_ERROR, on CONFLICT from POST /api/v1/send, and on UNAUTHORIZED for a missing or wrong code */
    details?: Array<{
      /** Name of the field, or `body` for the whole body */
      field: string;
      /** Machine-readable cause */
      code: string;
      /** What to change */
      message: string;
    }> | undefined;
    /** Same value as the header X-Request-Id */
    request_id: string;
    /** Page that explains this code */
    doc_url: string;
  };
  /** 0; present with BATCH_REFUSED */
  accepted?: number | undefined;
  /** Present with BATCH_REFUSED */
  refused?: number | undefined;
  /** Present with BATCH_REFUSED: one for each mail, in the order of `mails` */
  verdicts?: BatchVerdict[] | undefined;
}

/** The result that sending would have */
export interface SendValidation {
  /** Whether `POST /api/v1/send` would return 202 for the same request now */
  valid: boolean;
  would_answer: {
    status: 202 | 400 | 409 | 422 | 429;
    code: "DOMAIN_NOT_VERIFIED" | "CONFLICT" | "VALIDATION_ERROR" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | null;
  };
  /** Every problem of the payload; the fields from `domain` to `idempotency` are null when there is one */
  problems: Array<{
    /** Name of the field, or `body` for the whole body */
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
  /** The recipients in `to`, `cc` and `bcc`, each once */
  recipients: Array<{
    /** As written in the request; an address in several lists appears once */
    email: string;
    suppressed: boolean;
    reason?: "complaint" | "hard_bounce" | "manual" | undefined;
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
  /** Null when the request has no idempotency key */
  idempotency: {
    state: "new" | "repeat" | "conflict";
    /** The send that used the key; absent for a conflict seen by a key with a `domain` */
    id?: string | undefined;
    /** Absent when the API generated the key, because only the payload as a whole can be compared then, and for a key with a `domain` */
    differing_fields?: string[] | undefined;
  } | null;
  /** What remains in each window; this request does not count */
  rate_limits: Array<{
    window_seconds: number;
    limit: number;
    remaining: number;
  }>;
  /** What remains of each quota that the operator set for this account and mode, as of a few seconds ago */
  quotas: Array<{
    name: "recipients_per_day" | "queued_recipients" | "stored_content_bytes";
    limit: number;
    remaining: number;
    /** The account is on trial, and this is its limit */
    trial: boolean;
  }>;
}

/** The history of a send */
export interface Timeline {
  id: string;
  /** Current status */
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  error_code: string | null;
  error_message: string | null;
  /** Mode of the send */
  mode: "live" | "test";
  /** Present when the send has tags */
  tags?: string[] | undefined;
  /** Present when the send has metadata */
  metadata?: Record<string, unknown> | undefined;
  /** Oldest first. A first attempt that the provider accepted has no entry of type `attempt` */
  entries: Array<{
    type: "accepted";
    at: string;
    /** Number of recipients in the request, including suppressed ones */
    recipients: number;
    /** Recipients that were suppressed at acceptance */
    suppressed_recipients: string[];
  } | {
    type: "attempt";
    at: string;
    attempt: number;
    /** Null while the attempt is in progress */
    ended_at: string | null;
    /** `returned` means that the worker did not call the provider; `detail` says why. Null while the attempt is in progress */
    outcome: "accepted" | "refused" | "try-later" | "unknown" | "returned" | null;
    provider_message_id: string | null;
    /** Request id of the provider */
    request_id: string | null;
    detail: string | null;
  } | {
    type: "submitted";
    at: string;
    provider_message_id: string;
  } | {
    type: "delayed";
    at: string;
    recipient: string;
    /** As the provider reports it */
    delay_type: string;
    /** The enhanced status code of the receiving server */
    status: string | null;
    /** The words of the receiving server */
    diagnostic: string | null;
    /** When the provider stops retrying, if it said so */
    retried_until: string | null;
  } | {
    type: "event";
    at: string;
    event: Event;
  }>;
  /** False when the send has more than 500 attempts, delays or events; the entries then contain the newest 500 */
  complete: boolean;
}

/** An address that the account does not send to */
export interface Suppression {
  id: string;
  /** In lower case, with the domain in ASCII */
  email: string;
  /** `hard_bounce` and `complaint`: what SES reported. `manual`: somebody added or imported the address */
  reason: "complaint" | "hard_bounce" | "manual";
  suppressed_at: string;
  /** The `id` of the send that caused it; null if none did or it is not known */
  email_id: string | null;
  /** What the person or program that added the address wrote; else null */
  note: string | null;
  /** Mode of the sends that are filtered */
  mode: "live" | "test";
}

/** The last removal of an address from the suppression list, for 90 days */
export interface SuppressionRemoval {
  /** Mode of the send */
  mode: "live" | "test";
  removed_at: string;
  removed_by: {
    kind: "user" | "key";
    /** Email of the user or prefix of the key; null if neither existed any more */
    name: string | null;
  };
  /** The removal from the suppression list of the SES account, which is one for all accounts of Postern */
  provider: {
    /** `not_needed`: test mail never reaches SES, and SES does not list an address because of an entry that was added by hand or imported. `pending`: SES has not confirmed yet, Postern tries again. `removed`: the list of SES does not have the address. `kept`: the recipient complained after the removal, so the address stays on the list of SES. `refused`: SES does not accept the address, Postern does not try again */
    status: "not_needed" | "pending" | "removed" | "kept" | "refused";
    /** When `removed`, `kept` or `refused` was known; else null */
    finished_at: string | null;
    /** While `pending`, when Postern asks SES next; else null */
    next_try_at: string | null;
    /** Why the last try failed; null if none failed */
    error: "throttled" | "unavailable" | "denied" | "limit_reached" | "invalid" | null;
  };
}

/** What an account used in an hour, day or range */
export interface Usage {
  /** Start of the hour, day or range */
  start: string;
  /** Only with `group=domain`: the domain of the sender */
  domain?: string | undefined;
  /** Only with `group=tag`: the tag, or `(other)` for those that are counted together */
  tag?: string | undefined;
  /** Only with `group=api_key` */
  api_key_id?: string | undefined;
  /** Sends that the API accepted */
  accepted_sends: number;
  /** Their recipients, suppressed ones included */
  accepted_recipients: number;
  /** `Delivery` events */
  delivered?: number | undefined;
  /** Permanent `Bounce` events */
  bounced_hard?: number | undefined;
  /** Transient `Bounce` events */
  bounced_soft?: number | undefined;
  /** `Complaint` events */
  complained?: number | undefined;
  /** `Suppression` events */
  suppressed?: number | undefined;
  /** Recipients of sends that are `failed` now, in the hour of their acceptance */
  failed?: number | undefined;
  /** Times that the provider could not deliver yet */
  delayed?: number | undefined;
  /** Deliveries by the time from submission to delivery: one number for each bound, and one for longer times */
  delivery_times?: number[] | undefined;
  /** Only with `group=api_key`: refused requests to send, by error code; approximate after a crash */
  refusals?: Array<{
    code: string;
    count: number;
  }> | undefined;
}

/** A URL that the account is notified at */
export interface Webhook {
  webhook_id: string;
  url: string;
  description: string | null;
  types: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released">;
  /** It is notified of sends of this mode */
  mode: "live" | "test";
  /** `failing`: the last attempt failed, and none succeeded since. `disabled`: nothing is sent */
  status: "enabled" | "failing" | "disabled";
  /** `user`: by a request. `gone`: it answered 410. `failing`: no attempt succeeded for 5 days. Null unless disabled */
  disabled_reason: "user" | "gone" | "failing" | null;
  /** The first failed attempt after the last success */
  failing_since: string | null;
  created_at: string;
  /** Of deliveries of the last 24 hours that ended, at most the newest 1,000; null without one */
  success_rate: number | null;
  /** 95 of 100 of these deliveries were answered within this time */
  p95_ms: number | null;
  /** How many deliveries `success_rate` and `p95_ms` are of */
  measured_deliveries: number;
  /** How many deliveries wait for an attempt, counted up to 1,000 */
  waiting_deliveries: number;
  /** The secrets that sign now, newest first, without their values. `expires_at` is null for the newest */
  secrets: Array<{
    created_at: string;
    expires_at: string | null;
  }>;
}

/** The new webhook with its secret */
export interface CreatedWebhook {
  webhook_id: string;
  url: string;
  description: string | null;
  types: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released">;
  /** It is notified of sends of this mode */
  mode: "live" | "test";
  /** `failing`: the last attempt failed, and none succeeded since. `disabled`: nothing is sent */
  status: "enabled" | "failing" | "disabled";
  /** `user`: by a request. `gone`: it answered 410. `failing`: no attempt succeeded for 5 days. Null unless disabled */
  disabled_reason: "user" | "gone" | "failing" | null;
  /** The first failed attempt after the last success */
  failing_since: string | null;
  created_at: string;
  /** Of deliveries of the last 24 hours that ended, at most the newest 1,000; null without one */
  success_rate: number | null;
  /** 95 of 100 of these deliveries were answered within this time */
  p95_ms: number | null;
  /** How many deliveries `success_rate` and `p95_ms` are of */
  measured_deliveries: number;
  /** How many deliveries wait for an attempt, counted up to 1,000 */
  waiting_deliveries: number;
  /** The secrets that sign now, newest first, without their values. `expires_at` is null for the newest */
  secrets: Array<{
    created_at: string;
    expires_at: string | null;
  }>;
  /** Verifies the signatures. No other response contains it */
  secret: string;
}

/** The webhook with its new secret */
export interface RotatedWebhook {
  webhook_id: string;
  url: string;
  description: string | null;
  types: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released">;
  /** It is notified of sends of this mode */
  mode: "live" | "test";
  /** `failing`: the last attempt failed, and none succeeded since. `disabled`: nothing is sent */
  status: "enabled" | "failing" | "disabled";
  /** `user`: by a request. `gone`: it answered 410. `failing`: no attempt succeeded for 5 days. Null unless disabled */
  disabled_reason: "user" | "gone" | "failing" | null;
  /** The first failed attempt after the last success */
  failing_since: string | null;
  created_at: string;
  /** Of deliveries of the last 24 hours that ended, at most the newest 1,000; null without one */
  success_rate: number | null;
  /** 95 of 100 of these deliveries were answered within this time */
  p95_ms: number | null;
  /** How many deliveries `success_rate` and `p95_ms` are of */
  measured_deliveries: number;
  /** How many deliveries wait for an attempt, counted up to 1,000 */
  waiting_deliveries: number;
  /** The secrets that sign now, newest first, without their values. `expires_at` is null for the newest */
  secrets: Array<{
    created_at: string;
    expires_at: string | null;
  }>;
  /** Verifies the signatures. No other response contains it */
  secret: string;
  /** Earlier secrets have ended at this time */
  previous_secrets_end_at: string;
}

/** One notification for one webhook */
export interface WebhookDelivery {
  delivery_id: string;
  /** The `webhook-id` of its requests; a replay has the same */
  notification_id: string;
  type: "send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released";
  /** `pending`: waits for an attempt. `delivering`: an attempt is being made. `paused`: the webhook is disabled. `delivered`: the webhook answered 2xx. `failed`: all attempts failed. `cancelled`: the webhook was deleted */
  state: "pending" | "delivering" | "paused" | "delivered" | "failed" | "cancelled";
  replay: boolean;
  test: boolean;
  created_at: string;
  /** When it was delivered, failed or cancelled */
  finished_at: string | null;
  /** Of the attempt that succeeded */
  duration_ms: number | null;
  attempt_count: number;
  /** Null unless `pending` */
  next_attempt_at: string | null;
  /** The send that it is about; null for other notifications */
  send_id: string | null;
  last_attempt: {
    attempted_at: string;
    /** HTTP status; null without an answer */
    status: number | null;
    /** Until the answer, or until the attempt was given up */
    duration_ms: number | null;
    /** Why the attempt failed; null after a 2xx */
    failure: string | null;
  } | null;
}

/** One notification for one webhook, with all attempts */
export interface WebhookDeliveryDetails {
  delivery_id: string;
  /** The `webhook-id` of its requests; a replay has the same */
  notification_id: string;
  type: "send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released";
  /** `pending`: waits for an attempt. `delivering`: an attempt is being made. `paused`: the webhook is disabled. `delivered`: the webhook answered 2xx. `failed`: all attempts failed. `cancelled`: the webhook was deleted */
  state: "pending" | "delivering" | "paused" | "delivered" | "failed" | "cancelled";
  replay: boolean;
  test: boolean;
  created_at: string;
  /** When it was delivered, failed or cancelled */
  finished_at: string | null;
  /** Of the attempt that succeeded */
  duration_ms: number | null;
  attempt_count: number;
  /** Null unless `pending` */
  next_attempt_at: string | null;
  /** The send that it is about; null for other notifications */
  send_id: string | null;
  /** What every attempt sends; null when it is no longer stored */
  body: string | null;
  /** Oldest first */
  attempts: Array<{
    attempted_at: string;
    /** HTTP status; null without an answer */
    status: number | null;
    /** Until the answer, or until the attempt was given up */
    duration_ms: number | null;
    /** Why the attempt failed; null after a 2xx */
    failure: string | null;
    /** What the endpoint answered: up to 16 KiB of a failure, 1 KiB of a success */
    answer: string | null;
    /** The POST with its headers; null when no request was made. Its body is `body` */
    request: {
      url: string;
      /** As sent. Without `webhook-signature` for the role viewer */
      headers: Record<string, string>;
    } | null;
  }>;
}

/** A command that repeats the request of a delivery */
export interface WebhookCurl {
  /** For a POSIX shell with curl. It sends the body and the `webhook-id` of the delivery, with a new timestamp and signature */
  command: string;
  /** The `webhook-timestamp` of the command, in seconds */
  timestamp: number;
  /** Receivers refuse the signature from then on, five minutes after the timestamp */
  expires_at: string;
}

/** A webhook without a URL, for development */
export interface WebhookListener {
  /** For the paths of a take and of `DELETE /webhooks/{id}` */
  webhook_id: string;
  types: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released">;
  /** It is notified of sends of this mode */
  mode: "live" | "test";
  /** When the listener ends, unless a take extends it */
  listens_until: string;
}

/** The oldest notifications that waited for the listener */
export interface TakenNotifications {
  /** Oldest first. No later take returns them again */
  notifications: Array<{
    /** What a request to a webhook has as `webhook-id` */
    notification_id: string;
    type: "send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released";
    /** What a request to a webhook has as its body */
    body: string;
  }>;
  /** When the listener ends, unless a take extends it */
  listens_until: string;
}

/** A time range that is sent again to one webhook */
export interface WebhookReplay {
  replay_id: string;
  from: string;
  to: string;
  /** The types of the webhook when the replay was requested */
  types: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released">;
  /** Whether only what failed is sent again */
  only_failed: boolean;
  /** `running`: deliveries are being added. `done`: all are added. `cancelled`: no more are added */
  state: "running" | "done" | "cancelled";
  /** How much of the range has been read, from 0 to 1 */
  progress: number;
  /** How many deliveries were added so far */
  deliveries: number;
  created_at: string;
  /** Null while it is `running` */
  finished_at: string | null;
}

/** The send that a notification is about */
export interface NotifiedSend {
  id: string;
  /** Of the send when this happened */
  status: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed";
  from: string;
  subject: string;
  /** The key of the request, or the id of the send when it is not known */
  idempotency_key: string;
  /** Null until the provider accepts the send */
  provider_message_id: string | null;
  queued_at: string;
  /** Present when the send has tags */
  tags?: string[] | undefined;
  /** Present when the send has metadata */
  metadata?: Record<string, unknown> | undefined;
}

/** The provider accepted the mail */
export interface SendSentNotification {
  type: "send.sent";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

/** The receiving server accepted the mail for one recipient */
export interface SendDeliveredNotification {
  type: "send.delivered";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
    /** As the send spells it */
    recipient: string;
    delivery: {
      /** The answer of the receiving server */
      smtp_response: string | null;
      /** From the submission to the provider to the delivery */
      duration_ms: number | null;
    };
  };
}

/** The provider cannot deliver to one recipient yet and tries again */
export interface SendDelayedNotification {
  type: "send.delayed";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
    /** As the send spells it */
    recipient: string;
    delay: {
      /** As the provider reports it */
      type: string;
      /** The enhanced status code of the receiving server */
      status: string | null;
      /** The words of the receiving server, at most 1,000 characters */
      diagnostic: string | null;
      /** When the provider stops trying, if it says so */
      expires_at: string | null;
    };
  };
}

/** The mail was not delivered to one recipient */
export interface SendBouncedNotification {
  type: "send.bounced";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
    /** As the send spells it */
    recipient: string;
    bounce: {
      type: "Permanent" | "Transient";
      /** As the provider reports it */
      subtype: string | null;
      /** The enhanced status code of the receiving server */
      status: string | null;
      /** The words of the receiving server, at most 1,000 characters */
      diagnostic: string | null;
      explanation: BounceExplanation;
      /** Whether the address is on the suppression list because of it */
      suppressed: boolean;
    };
  };
}

/** One recipient reported the mail as spam */
export interface SendComplainedNotification {
  type: "send.complained";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
    /** As the send spells it */
    recipient: string;
    complaint: {
      /** Null when the mailbox provider did not report it */
      type: string | null;
      /** Whether the address is on the suppression list because of it */
      suppressed: boolean;
    };
  };
}

/** The mail does not go to one recipient, who is suppressed */
export interface SendSuppressedNotification {
  type: "send.suppressed";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
    /** As the send spells it */
    recipient: string;
    suppression: {
      /** Why the address is on the suppression list */
      reason: "complaint" | "hard_bounce" | "manual";
      /** When the address was suppressed */
      since: string;
      /** The send that caused it; null if it is not known */
      send_id: string | null;
    };
  };
}

/** The mail does not go out */
export interface SendFailedNotification {
  type: "send.failed";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    send: NotifiedSend;
    /** Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt */
    sequence?: number | undefined;
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
    failure: {
      /** The `error_code` of the send */
      code: string;
      /** What happened */
      message: string;
    };
  };
}

/** A domain is verified: the account can send from it */
export interface DomainVerifiedNotification {
  type: "domain.verified";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    domain: {
      id: number;
      name: string;
    };
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

/** A domain is not verified, or no longer */
export interface DomainFailedNotification {
  type: "domain.failed";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    domain: {
      id: number;
      name: string;
    };
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

/** An address is on the suppression list */
export interface SuppressionAddedNotification {
  type: "suppression.added";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    suppression: {
      /** In lower case, with the domain in ASCII */
      email: string;
      /** Why the address is on the suppression list */
      reason: "complaint" | "hard_bounce" | "manual";
      /** When the address was suppressed */
      since: string;
      /** The send that caused it; null if it is not known */
      send_id: string | null;
    };
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

/** An address is no longer on the suppression list */
export interface SuppressionRemovedNotification {
  type: "suppression.removed";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    suppression: {
      /** In lower case, with the domain in ASCII */
      email: string;
      /** Why the address is on the suppression list */
      reason: "complaint" | "hard_bounce" | "manual";
      /** When the address was suppressed */
      since: string;
      /** The send that caused it; null if it is not known */
      send_id: string | null;
    };
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

/** The mail of the account is on hold and waits */
export interface AccountHeldNotification {
  type: "account.held";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    account: {
      /** Who holds or held the mail of the account */
      held_by: "operator" | "guard";
      /** Why the guard does; absent for the operator */
      reason?: string | null | undefined;
    };
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

/** The mail of the account is no longer on hold */
export interface AccountReleasedNotification {
  type: "account.released";
  /** When it happened */
  timestamp: string;
  mode: "live" | "test";
  data: {
    account: {
      /** Who holds or held the mail of the account */
      held_by: "operator" | "guard";
      /** Why the guard does; absent for the operator */
      reason?: string | null | undefined;
    };
    /** Only on an example that `POST /webhooks/{id}/test` sent */
    test?: true | undefined;
    /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id */
    rebuilt?: true | undefined;
  };
}

export interface SendQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface SendBatchQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface ValidateSendQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface GetSendStatusQuery {
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface CancelSendQuery {
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface CancelSendByKeyQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface CancelSendByKeyBody {
  /** The key of the send */
  idempotency_key: string;
}

export interface GetSendTimelineQuery {
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface GetSendContentQuery {
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface CreateContentViewBody {
  /** Whether the browser loads `https:` images. Their servers see that somebody looks */
  images?: boolean | undefined;
}

export interface ListSendsQuery {
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** Only entries that follow the entry with this id; use it to continue the list */
  before?: string | undefined;
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
  /** Sends with this status */
  status?: "queued" | "processing" | "sent" | "delivered" | "bounced" | "complained" | "suppressed" | "failed" | undefined;
  /** Sends with this address in `to`, `cc` or `bcc`, in any spelling. Found by index */
  recipient?: string | undefined;
  /** Sends from an address of this domain */
  domain?: string | undefined;
  /** The send with this id at the provider. Found by index */
  provider_message_id?: string | undefined;
  /** Sends with this tag */
  tag?: string | undefined;
  /** Only entries from this time on */
  since?: string | undefined;
  /** Only entries before this time */
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
  /** Code of the authenticator app. Each counts once */
  totp_code?: string | undefined;
  /** A recovery code instead of `totp_code`. Each works once */
  recovery_code?: string | undefined;
  /** `true`: the refresh token comes in an HttpOnly cookie only. For pages of this installation; needs `Origin` */
  browser?: boolean | undefined;
}

export interface RefreshLoginBody {
  /** From the last log-in or refresh; required without `browser` */
  refresh_token?: string | undefined;
  /** The refresh token is in the cookie of a log-in with `browser` */
  browser?: true | undefined;
  /** The session to refresh: claim `sid` of the access token. 409 if the token is of another one */
  session_id?: string | undefined;
}

/** The login has ended */
export interface LogOutAnswer {
  success: true;
  message: string;
}

/** The user's sessions, most recently used first */
export interface ListSessionsAnswer {
  sessions: Session[];
}

/** All other sessions have ended */
export interface EndOtherSessionsAnswer {
  success: true;
  /** How many sessions ended */
  ended: number;
}

/** The session has ended */
export interface EndSessionAnswer {
  success: true;
  message: string;
}

export interface ChangePasswordBody {
  current_password: string;
  /** At least 12 characters */
  new_password: string;
}

/** The new password works from now on */
export interface ChangePasswordAnswer {
  success: true;
  /** How many other sessions ended */
  ended: number;
}

/** Two-factor authentication of the user */
export interface GetTotpAnswer {
  enabled: boolean;
  enabled_at: string | null;
  /** The account requires it, and the user can do nothing else before */
  required: boolean;
  recovery_codes_left: number;
}

export interface EnrolTotpBody {
  /** The user's own password */
  password: string;
}

/** The enrolment waits for a code */
export interface EnrolTotpAnswer {
  /** To type into an authenticator app. It is not shown again */
  secret: string;
  /** The same as a URI, to show as a QR code */
  otpauth_uri: string;
}

export interface ConfirmTotpBody {
  /** Code of the authenticator app. Each counts once */
  totp_code: string;
}

/** The recovery codes */
export interface ConfirmTotpAnswer {
  /** Ten codes. They are not shown again */
  recovery_codes: string[];
}

export interface RenewRecoveryCodesBody {
  /** Code of the authenticator app. Each counts once */
  totp_code?: string | undefined;
  /** A recovery code instead of `totp_code`. Each works once */
  recovery_code?: string | undefined;
}

/** The recovery codes */
export interface RenewRecoveryCodesAnswer {
  /** Ten codes. They are not shown again */
  recovery_codes: string[];
}

export interface DisableTotpBody {
  /** The user's own password */
  password: string;
  /** Code of the authenticator app. Each counts once */
  totp_code?: string | undefined;
  /** A recovery code instead of `totp_code`. Each works once */
  recovery_code?: string | undefined;
}

/** It is off */
export interface DisableTotpAnswer {
  success: true;
  message: string;
}

export interface SwitchAccountBody {
  /** Id of the account, from `GET /api/v1/auth/me` */
  tenant_id: string;
  /** `true`: the new refresh token replaces the one in the cookie of the browser */
  browser?: boolean | undefined;
}

export interface AcceptInvitationBody {
  /** The part of the link after `=` */
  token: string;
  /** Of the user with the invited address; a new person chooses one of at least 12 characters */
  password: string;
}

export interface JoinByInvitationBody {
  /** The part of the link after `=` */
  token: string;
}

export interface RequestPasswordResetBody {
  email: string;
}

/** What happens next */
export interface RequestPasswordResetAnswer {
  message: string;
}

export interface ResetPasswordBody {
  /** The part of the link after `=` */
  token: string;
  /** At least 12 characters */
  password: string;
}

/** What happens next */
export interface ResetPasswordAnswer {
  message: string;
}

/** At most 1,000 members of the account, oldest first */
export type ListMembersAnswer = Member[];

export interface ChangeRoleBody {
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
}

/** The member is removed */
export interface RemoveMemberAnswer {
  message: string;
}

export interface InviteMemberBody {
  email: string;
  /** `viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members */
  role: "viewer" | "developer" | "owner";
}

/** The open invitations of the account, newest first */
export type ListInvitationsAnswer = Invitation[];

/** The invitation is withdrawn */
export interface DeleteInvitationAnswer {
  message: string;
}

export interface GetAccountQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface ChangeAccountBody {
  /** Whether every user of the account needs two-factor authentication */
  totp_required: boolean;
  /** Code of the authenticator app. Each counts once */
  totp_code?: string | undefined;
  /** A recovery code instead of `totp_code`. Each works once */
  recovery_code?: string | undefined;
}

/** The settings of the account */
export interface ChangeAccountAnswer {
  totp_required: boolean;
}

export interface CreateApiKeyBody {
  /** Label, 1 to 200 characters */
  name: string;
  /** A `live` key sends real email; a `test` key never does */
  type: "live" | "test";
  /** An ISO 8601 date or date-time. A date alone, such as `2027-01-31`, is 00:00 UTC; without a zone the time is UTC. Omit for no expiration */
  expires_at?: string | null | undefined;
  /** What the key may do, by default `["send"]`. `send`: send and validate, status and timeline by id. `read`: sends, events, suppressions, domains, usage, and status and timeline by id. `suppressions`: remove suppressions. `domains`: register, verify and remove domains. `webhooks`: manage webhooks; needs `read` too. They never change */
  scopes?: Array<"send" | "read" | "suppressions" | "domains" | "webhooks"> | undefined;
  /** The only domain the key may send from; a subdomain is another domain. Such a key has the scope `send` only, and sees only the sends of its domain. Omit for all domains of the account */
  domain?: string | null | undefined;
}

/** The newest 1,000 keys of the account, except revoked ones, newest first */
export type ListApiKeysAnswer = ApiKey[];

export interface RollApiKeyBody {
  /** How long the secrets before the new one still work, 0 to 604800, by default 86400. 0 ends them now */
  overlap_seconds?: number | undefined;
}

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

export interface SetMailFromBody {
  /** The part before the domain; null removes the custom MAIL FROM domain */
  subdomain: string | null;
}

export interface ListSuppressionsQuery {
  /** Page number */
  page?: number | undefined;
  /** Maximum number of entries; more than 100 counts as 100, and `pagination.limit` shows the limit in use */
  limit?: number | undefined;
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
  /** Only entries that follow the entry with this id; use it to continue the list */
  before?: string | undefined;
  /** Only entries with this reason */
  reason?: "complaint" | "hard_bounce" | "manual" | undefined;
}

/** Suppressed addresses of the account */
export interface ListSuppressionsAnswer {
  success: true;
  /** Newest first */
  data: Suppression[];
  pagination: Pagination | Cursor;
}

export interface AddSuppressionQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface AddSuppressionBody {
  /** The address alone; capital letters do not matter */
  email: string;
  /** Bounces and complaints add addresses by themselves */
  reason?: "manual" | undefined;
  /** For people, up to 500 characters */
  note?: string | null | undefined;
}

/** The entry of the address */
export interface AddSuppressionAnswer {
  success: true;
  data: Suppression;
}

export interface GetSuppressionQuery {
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

/** What the account knows about the address */
export interface GetSuppressionAnswer {
  success: true;
  data: {
    /** In lower case, with the domain in ASCII */
    email: string;
    /** At most one for each mode; empty when it is not suppressed */
    suppressions: Suppression[];
    /** The last removal in each mode; an address can be suppressed again after it */
    removals: SuppressionRemoval[];
  };
}

export interface RemoveSuppressionQuery {
  /** Removes the entry of this mode only. Without it, of both modes */
  mode?: "live" | "test" | undefined;
}

/** The address is no longer suppressed */
export interface RemoveSuppressionAnswer {
  success: true;
  message: string;
}

export interface ImportSuppressionsQuery {
  /** For a JWT; default `live`. An API key sends in its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface ImportSuppressionsBody {
  /** Objects with `email`, and optionally `reason` and `note`; or the records of another service's export, with its names of the columns and `from` */
  entries: Array<Record<string, unknown>>;
  /** The service whose export the entries are from */
  from?: "csv" | "sendgrid" | "resend" | "postmark" | "mailgun" | undefined;
  /** The reason of entries that do not say it */
  reason?: "complaint" | "hard_bounce" | "manual" | undefined;
  /** True counts what an import would do, and changes nothing */
  dry_run?: boolean | undefined;
}

/** What was imported, or would be */
export interface ImportSuppressionsAnswer {
  success: true;
  data: {
    dry_run: boolean;
    /** Addresses that were added, or would be */
    new: number;
    /** Addresses that were suppressed before, or are repeated in the entries */
    known: number;
    /** Entries that are not imported */
    invalid: number;
    /** The first 10 invalid entries */
    problems: Array<{
      /** Position in `entries`, from 0 */
      index: number;
      problem: string;
    }>;
  };
}

export interface ListAuditQuery {
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** Only entries that follow the entry with this id; use it to continue the list */
  before?: string | undefined;
  /** Only entries of the actor with this id or name, such as an email */
  actor?: string | undefined;
  /** Only entries of this action */
  action?: "account.create" | "account.delete" | "account.delete-undo" | "account.export" | "account.guard-change" | "account.guard-hold" | "account.guard-release" | "account.hold" | "account.limits-change" | "account.quotas-change" | "account.release" | "account.resume" | "account.settings-change" | "account.suspend" | "account.switch" | "account.webhook-networks-change" | "address.erase" | "api-key.create" | "api-key.revoke" | "api-key.roll" | "content.read" | "domain.mail-from-change" | "domain.register" | "domain.remove" | "domain.verify" | "invitation.accept" | "invitation.create" | "invitation.revoke" | "log-in" | "log-in.fail" | "log-out" | "member.add" | "member.close" | "member.open" | "member.remove" | "member.role-change" | "password.change" | "password.reset" | "password.reset-request" | "operator.change" | "quarantine.read" | "quarantine.replay" | "send.cancel" | "send.retry" | "session.end" | "session.end-others" | "session.end-stolen" | "session.replace" | "suppression.add" | "suppression.import" | "suppression.remove" | "totp.confirm" | "totp.disable" | "totp.enrol" | "totp.recovery-codes-renew" | "webhook.change" | "webhook.create" | "webhook.curl" | "webhook.delete" | "webhook.replay" | "webhook.replay-cancel" | "webhook.replay-range" | "webhook.rotate" | "webhook.test" | undefined;
  /** Only entries about the target with this id or name */
  target?: string | undefined;
  /** Only entries about targets of this kind. `user`: log-ins, password and TOTP of a member */
  target_kind?: "account" | "address" | "api-key" | "domain" | "invitation" | "member" | "quarantine" | "send" | "suppression" | "user" | "webhook" | undefined;
  /** Only entries from this time on */
  since?: string | undefined;
  /** Only entries before this time */
  until?: string | undefined;
}

/** Entries of the audit */
export interface ListAuditAnswer {
  success: true;
  data: {
    /** Newest first */
    entries: AuditEntry[];
    pagination: Cursor;
  };
}

export interface ListEventsQuery {
  /** Events of this type; all types if absent */
  type?: "Delivery" | "Bounce" | "Complaint" | "Suppression" | undefined;
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** Page number */
  page?: number | undefined;
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
  /** Only entries that follow the entry with this id; use it to continue the list */
  before?: string | undefined;
  /** Events of this send */
  email_id?: string | undefined;
  /** Events of this recipient address, in any spelling */
  recipient?: string | undefined;
  /** Only entries from this time on */
  since?: string | undefined;
  /** Only entries before this time */
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

export interface CreateWebhookBody {
  /** Where notifications are sent: https, without user name and password */
  url: string;
  /** For people, up to 500 characters */
  description?: string | null | undefined;
  /** What the webhook is notified of */
  types: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released">;
  /** Notifications of sends of this mode. For a JWT; default `live`. An API key has its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface ListWebhooksQuery {
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

/** The webhooks of the account, oldest first; at most 10 */
export type ListWebhooksAnswer = Webhook[];

export interface ChangeWebhookBody {
  /** Where notifications are sent: https, without user name and password */
  url?: string | undefined;
  /** For people, up to 500 characters */
  description?: string | null | undefined;
  /** What the webhook is notified of */
  types?: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released"> | undefined;
  /** False pauses its deliveries. True sends them now, and forgets earlier failures */
  enabled?: boolean | undefined;
}

/** The webhook is deleted */
export interface DeleteWebhookAnswer {
  message: string;
}

export interface RotateWebhookSecretBody {
  /** How long the earlier secrets still sign, 0 to 604800, by default 86400. 0 ends them now */
  overlap_seconds?: number | undefined;
}

export interface TestWebhookBody {
  type: "send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released";
}

/** The example is on its way */
export interface TestWebhookAnswer {
  delivery_id: string;
  /** The `webhook-id` of the request */
  notification_id: string;
}

export interface ListWebhookDeliveriesQuery {
  /** Only deliveries in this state */
  state?: "pending" | "delivering" | "paused" | "delivered" | "failed" | "cancelled" | undefined;
  /** Only deliveries of this type */
  type?: "send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released" | undefined;
  /** Only entries from this time on */
  since?: string | undefined;
  /** Only entries before this time */
  until?: string | undefined;
  /** Only deliveries that are about this send */
  send_id?: string | undefined;
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** Only entries that follow the entry with this id; use it to continue the list */
  before?: string | undefined;
}

/** Deliveries to the webhook */
export interface ListWebhookDeliveriesAnswer {
  success: true;
  data: {
    /** Newest first */
    deliveries: WebhookDelivery[];
    pagination: Cursor;
  };
}

/** The notification is sent again */
export interface ReplayWebhookDeliveryAnswer {
  /** The new delivery of the same notification */
  delivery_id: string;
}

export interface ReplayWebhookBody {
  /** Start of the range, in the past */
  from: string;
  /** End of the range, at most 31 days after `from`. A later time than now counts as now */
  to: string;
  /** True sends only what failed: deliveries created in the range that are `failed` are sent again, and those that wait after a failed attempt are attempted now. By default everything in the range is sent */
  only_failed?: boolean | undefined;
}

/** Newest first, at most 100 */
export type ListWebhookReplaysAnswer = WebhookReplay[];

export interface CreateWebhookListenerBody {
  /** What the listener is notified of; by default everything */
  types?: Array<"send.sent" | "send.delivered" | "send.delayed" | "send.bounced" | "send.complained" | "send.suppressed" | "send.failed" | "domain.verified" | "domain.failed" | "suppression.added" | "suppression.removed" | "account.held" | "account.released"> | undefined;
  /** Notifications of sends of this mode. For a JWT; default `live`. An API key has its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

export interface TakeNotificationsBody {
  /** At most this many notifications, 0 to 50, by default 50. 0 only extends the listener */
  limit?: number | undefined;
}

export interface GetUsageQuery {
  /** Start of the range; default 24 hours before `to`, with `by=day` and `by=range` 30 days. Rounded down to the hour, or to the day with `by=day` and `group=tag` */
  from?: string | undefined;
  /** End of the range, default now. Rounded up in the same way */
  to?: string | undefined;
  /** Length of each entry; days are in UTC, `range` is all of the range. Default `hour`, with `group=tag` `day`, because tags are counted per day */
  by?: "hour" | "day" | "range" | undefined;
  /** Separate entries for each sending domain or each tag, or sends and refusals of each API key; one entry for all if absent. A send counts for each of its tags. Tags beyond 1,000 of a mode and month are counted together, as `(other)` */
  group?: "domain" | "api_key" | "tag" | undefined;
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

/** Usage of the account */
export interface GetUsageAnswer {
  success: true;
  data: {
    from: string;
    to: string;
    by: "hour" | "day" | "range";
    /** The longest time of each number in `delivery_times` but the last */
    delivery_time_bounds_ms: number[];
    /** Oldest first. An hour or day without usage has no entry */
    usage: Usage[];
  };
}

export interface ListRequestsQuery {
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** Only entries that follow the entry with this id; use it to continue the list */
  before?: string | undefined;
  /** Only the request with this id: `request_id` of an error, or the `X-Request-Id` of a response */
  request_id?: string | undefined;
  /** Only requests that got this status, such as `422`, or one of this class, such as `4xx` */
  status?: string | undefined;
  /** Only requests that were refused with this code */
  error_code?: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "DOMAIN_NOT_VERIFIED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "CONTENT_NOT_KEPT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR" | "BATCH_REFUSED" | "RATE_LIMIT_EXCEEDED" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE" | undefined;
  /** Only requests of this API key */
  api_key_id?: string | undefined;
  /** Only requests with this method */
  method?: "GET" | "POST" | "PATCH" | "DELETE" | "HEAD" | undefined;
  /** Only requests of this route, as the document names it */
  route?: string | undefined;
  /** Only entries from this time on */
  since?: string | undefined;
  /** Only entries before this time */
  until?: string | undefined;
  /** Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422 */
  mode?: "live" | "test" | undefined;
}

/** Entries of the request log */
export interface ListRequestsAnswer {
  success: true;
  data: {
    /** Newest first */
    requests: LoggedRequest[];
    pagination: Cursor;
  };
}

export interface ListAccountsQuery {
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** `created`: oldest first. `volume`: most recipients of live mail in 24 hours first. `bounce_rate`, `complaint_rate`: highest rate of seven days first, then accounts with fewer than 200 outcomes. Only `created` has further pages */
  sort?: "created" | "volume" | "bounce_rate" | "complaint_rate" | undefined;
  /** Only accounts with this text in their name or in the email of a member, or with this id */
  search?: string | undefined;
  /** Only accounts that follow the account with this id, in the order `created`; use it to continue the list */
  after?: string | undefined;
}

/** One page of all accounts */
export interface ListAccountsAnswer {
  /** In the order of `sort` */
  accounts: OperatorAccount[];
  /** Pass it as `after` to continue; null at the end of the list */
  next_after: string | null;
}

export interface HoldAccountBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
}

export interface ReleaseAccountBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
}

export interface SwitchGuardBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
  /** `false`: the guard counts and warns, and never holds this account */
  on: boolean;
}

export interface ReleaseFromGuardBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
}

export interface ListQuarantineQuery {
  /** Maximum number of entries, 1 to 100 */
  limit?: number | undefined;
  /** Only entries before the entry with this id; use it to continue the list */
  before?: string | undefined;
}

/** One page of the quarantine */
export interface ListQuarantineAnswer {
  /** Newest first */
  entries: QuarantineEntry[];
  /** Pass it as `before` to continue; null at the end of the list */
  next_before: number | null;
}

export interface ReadQuarantinedBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
}

export interface ReplayQuarantineBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
  /** The entry to try again; all of them if absent */
  id?: number | undefined;
}

/** The entries are due */
export interface ReplayQuarantineAnswer {
  /** Entries that a worker tries again within ten seconds */
  due: number;
}

export interface ChangeLimitsBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
  /** Sends in one second */
  per_second?: number | undefined;
  /** Sends in ten seconds */
  per_10_seconds?: number | undefined;
  /** Sends in one minute */
  per_minute?: number | undefined;
  /** Registered domains */
  domains?: number | undefined;
  /** Usable API keys */
  api_keys?: number | undefined;
  /** Registrations and removals of domains in one minute */
  domain_changes_per_minute?: number | undefined;
}

export interface ChangeQuotasBody {
  /** Why you do this, 1 to 500 characters. Owners of the account read it in their audit */
  reason: string;
  /** The mail whose quotas are set */
  mode?: "live" | "test" | undefined;
  /** From 00:00 to 24:00 UTC; null is unlimited */
  recipients_per_day?: number | null | undefined;
  /** Null is unlimited */
  stored_content_bytes?: number | null | undefined;
  /** Recipients a day while the account is on trial; null ends the trial */
  trial?: number | null | undefined;
}

/** Every operation with its path, query, body and answer. */
export interface Operations {
  /** Send an email */
  "POST /api/v1/send": {
    query: SendQuery;
    body: SendRequest;
    answer: AcceptedSend;
  };
  /** Send up to 100 emails */
  "POST /api/v1/send/batch": {
    query: SendBatchQuery;
    body: BatchRequest;
    answer: BatchVerdicts;
  };
  /** Validate a send without sending it */
  "POST /api/v1/send/validate": {
    query: ValidateSendQuery;
    body: SendRequest;
    answer: SendValidation;
  };
  /** Get the status of a send */
  "GET /api/v1/send/{id}/status": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    query: GetSendStatusQuery;
    answer: SendRecord;
  };
  /** Cancel a send */
  "POST /api/v1/send/{id}/cancel": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    query: CancelSendQuery;
    answer: SendRecord;
  };
  /** Cancel a send by its idempotency key */
  "POST /api/v1/send/cancel": {
    query: CancelSendByKeyQuery;
    body: CancelSendByKeyBody;
    answer: SendRecord;
  };
  /** Get the timeline of a send */
  "GET /api/v1/send/{id}/timeline": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    query: GetSendTimelineQuery;
    answer: Timeline;
  };
  /** Get what was sent */
  "GET /api/v1/send/{id}/content": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    query: GetSendContentQuery;
    answer: SendContent;
  };
  /** Get an address that shows the mail in a frame */
  "POST /api/v1/send/{id}/content/view": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: CreateContentViewBody;
    answer: ContentView;
  };
  /** List and search sends */
  "GET /api/v1/sends": {
    query: ListSendsQuery;
    answer: ListSendsAnswer;
  };
  /** Log in with email address and password */
  "POST /api/v1/auth/login": {
    body: LogInBody;
    answer: Tokens;
  };
  /** Exchange a refresh token for a new pair of tokens */
  "POST /api/v1/auth/refresh": {
    body: RefreshLoginBody;
    answer: Tokens;
  };
  /** End this login */
  "POST /api/v1/auth/logout": {
    answer: LogOutAnswer;
  };
  /** List the user's own sessions */
  "GET /api/v1/auth/sessions": {
    answer: ListSessionsAnswer;
  };
  /** End all other sessions of the user */
  "DELETE /api/v1/auth/sessions": {
    answer: EndOtherSessionsAnswer;
  };
  /** End one of the user's own sessions */
  "DELETE /api/v1/auth/sessions/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: EndSessionAnswer;
  };
  /** Get how people can log in */
  "GET /api/v1/auth/methods": {
    answer: LoginMethods;
  };
  /** Change the user's own password */
  "POST /api/v1/auth/password": {
    body: ChangePasswordBody;
    answer: ChangePasswordAnswer;
  };
  /** Get whether two-factor authentication is on */
  "GET /api/v1/auth/totp": {
    answer: GetTotpAnswer;
  };
  /** Start to set up two-factor authentication */
  "POST /api/v1/auth/totp": {
    body: EnrolTotpBody;
    answer: EnrolTotpAnswer;
  };
  /** Turn two-factor authentication on with a first code */
  "POST /api/v1/auth/totp/confirm": {
    body: ConfirmTotpBody;
    answer: ConfirmTotpAnswer;
  };
  /** Replace the recovery codes */
  "POST /api/v1/auth/totp/recovery-codes": {
    body: RenewRecoveryCodesBody;
    answer: RenewRecoveryCodesAnswer;
  };
  /** Turn two-factor authentication off */
  "POST /api/v1/auth/totp/disable": {
    body: DisableTotpBody;
    answer: DisableTotpAnswer;
  };
  /** Get the user of the access token and the user's accounts */
  "GET /api/v1/auth/me": {
    answer: Me;
  };
  /** Get tokens for another account of the same user */
  "POST /api/v1/auth/switch": {
    body: SwitchAccountBody;
    answer: Tokens;
  };
  /** Accept an invitation with a password */
  "POST /api/v1/auth/invitations/accept": {
    body: AcceptInvitationBody;
    answer: Joined;
  };
  /** Accept an invitation as the user of the access token */
  "POST /api/v1/auth/invitations/join": {
    body: JoinByInvitationBody;
    answer: Joined;
  };
  /** Request a mail with a link that resets the password */
  "POST /api/v1/auth/password-reset": {
    body: RequestPasswordResetBody;
    answer: RequestPasswordResetAnswer;
  };
  /** Set a new password with the token of a reset link */
  "POST /api/v1/auth/password-reset/confirm": {
    body: ResetPasswordBody;
    answer: ResetPasswordAnswer;
  };
  /** List the members of the account */
  "GET /api/v1/members": {
    answer: ListMembersAnswer;
  };
  /** Change the role of a member */
  "PATCH /api/v1/members/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ChangeRoleBody;
    answer: Member;
  };
  /** Remove a member from the account */
  "DELETE /api/v1/members/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: RemoveMemberAnswer;
  };
  /** Invite a person to the account */
  "POST /api/v1/invitations": {
    body: InviteMemberBody;
    answer: CreatedInvitation;
  };
  /** List the open invitations to the account */
  "GET /api/v1/invitations": {
    answer: ListInvitationsAnswer;
  };
  /** Withdraw an invitation */
  "DELETE /api/v1/invitations/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: DeleteInvitationAnswer;
  };
  /** Get the account of the credential */
  "GET /api/v1/account": {
    query: GetAccountQuery;
    answer: Account;
  };
  /** Change the settings of the account */
  "PATCH /api/v1/account": {
    body: ChangeAccountBody;
    answer: ChangeAccountAnswer;
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
  /** Give an API key a new secret */
  "POST /api/v1/api-keys/{id}/roll": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: RollApiKeyBody;
    answer: RolledApiKey;
  };
  /** Revoke an API key permanently */
  "DELETE /api/v1/api-keys/{id}": {
    path: {
      /** Id from an earlier response */
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
      /** The `domain_id` */
      id: number;
    };
    answer: Domain;
  };
  /** Remove a domain */
  "DELETE /api/v1/domains/{id}": {
    path: {
      /** The `domain_id` */
      id: number;
    };
    answer: RemoveDomainAnswer;
  };
  /** Check the domain's DNS records now */
  "POST /api/v1/domains/{id}/verify": {
    path: {
      /** The `domain_id` */
      id: number;
    };
    answer: Domain;
  };
  /** Look at the domain's DNS records now */
  "GET /api/v1/domains/{id}/dns": {
    path: {
      /** The `domain_id` */
      id: number;
    };
    answer: DomainDns;
  };
  /** Set or remove the custom MAIL FROM domain */
  "POST /api/v1/domains/{id}/mail-from": {
    path: {
      /** The `domain_id` */
      id: number;
    };
    body: SetMailFromBody;
    answer: Domain;
  };
  /** List suppressed addresses */
  "GET /api/v1/suppression": {
    query: ListSuppressionsQuery;
    answer: ListSuppressionsAnswer;
  };
  /** Add an address to the suppression list */
  "POST /api/v1/suppression": {
    query: AddSuppressionQuery;
    body: AddSuppressionBody;
    answer: AddSuppressionAnswer;
  };
  /** Look up an address in the suppression list */
  "GET /api/v1/suppression/{email}": {
    path: {
      /** The address, URL-encoded */
      email: string;
    };
    query: GetSuppressionQuery;
    answer: GetSuppressionAnswer;
  };
  /** Remove an address from the suppression list */
  "DELETE /api/v1/suppression/{email}": {
    path: {
      /** The address, URL-encoded */
      email: string;
    };
    query: RemoveSuppressionQuery;
    answer: RemoveSuppressionAnswer;
  };
  /** Import addresses into the suppression list */
  "POST /api/v1/suppression/import": {
    query: ImportSuppressionsQuery;
    body: ImportSuppressionsBody;
    answer: ImportSuppressionsAnswer;
  };
  /** List who did what in the account */
  "GET /api/v1/audit": {
    query: ListAuditQuery;
    answer: ListAuditAnswer;
  };
  /** List the account's events */
  "GET /api/v1/events": {
    query: ListEventsQuery;
    answer: ListEventsAnswer;
  };
  /** Create a webhook */
  "POST /api/v1/webhooks": {
    body: CreateWebhookBody;
    answer: CreatedWebhook;
  };
  /** List the account's webhooks */
  "GET /api/v1/webhooks": {
    query: ListWebhooksQuery;
    answer: ListWebhooksAnswer;
  };
  /** Show a webhook */
  "GET /api/v1/webhooks/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: Webhook;
  };
  /** Change a webhook, or disable and enable it */
  "PATCH /api/v1/webhooks/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ChangeWebhookBody;
    answer: Webhook;
  };
  /** Delete a webhook */
  "DELETE /api/v1/webhooks/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: DeleteWebhookAnswer;
  };
  /** Give a webhook a new secret */
  "POST /api/v1/webhooks/{id}/rotate": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: RotateWebhookSecretBody;
    answer: RotatedWebhook;
  };
  /** Send an example notification to a webhook */
  "POST /api/v1/webhooks/{id}/test": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: TestWebhookBody;
    answer: TestWebhookAnswer;
  };
  /** List the deliveries to a webhook */
  "GET /api/v1/webhooks/{id}/deliveries": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    query: ListWebhookDeliveriesQuery;
    answer: ListWebhookDeliveriesAnswer;
  };
  /** Show a delivery with its attempts */
  "GET /api/v1/webhooks/{id}/deliveries/{delivery_id}": {
    path: {
      /** The `webhook_id` */
      id: string;
      /** The `delivery_id` */
      delivery_id: string;
    };
    answer: WebhookDeliveryDetails;
  };
  /** Send a notification again */
  "POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay": {
    path: {
      /** The `webhook_id` */
      id: string;
      /** The `delivery_id` */
      delivery_id: string;
    };
    answer: ReplayWebhookDeliveryAnswer;
  };
  /** Get a signed curl command for a delivery */
  "POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/curl": {
    path: {
      /** The `webhook_id` */
      id: string;
      /** The `delivery_id` */
      delivery_id: string;
    };
    answer: WebhookCurl;
  };
  /** Send a time range again */
  "POST /api/v1/webhooks/{id}/replay": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ReplayWebhookBody;
    answer: WebhookReplay;
  };
  /** List the replays of a webhook */
  "GET /api/v1/webhooks/{id}/replays": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: ListWebhookReplaysAnswer;
  };
  /** Show a replay and its progress */
  "GET /api/v1/webhooks/{id}/replays/{replay_id}": {
    path: {
      /** The `webhook_id` */
      id: string;
      /** The `replay_id` */
      replay_id: string;
    };
    answer: WebhookReplay;
  };
  /** Cancel a replay */
  "POST /api/v1/webhooks/{id}/replays/{replay_id}/cancel": {
    path: {
      /** The `webhook_id` */
      id: string;
      /** The `replay_id` */
      replay_id: string;
    };
    answer: WebhookReplay;
  };
  /** Create a listener, for development */
  "POST /api/v1/webhooks/listeners": {
    body: CreateWebhookListenerBody;
    answer: WebhookListener;
  };
  /** Take the notifications of a listener */
  "POST /api/v1/webhooks/listeners/{id}/take": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: TakeNotificationsBody;
    answer: TakenNotifications;
  };
  /** Get the usage of the account */
  "GET /api/v1/usage": {
    query: GetUsageQuery;
    answer: GetUsageAnswer;
  };
  /** List refused requests of the account */
  "GET /api/v1/requests": {
    query: ListRequestsQuery;
    answer: ListRequestsAnswer;
  };
  /** Get the state of the installation */
  "GET /api/v1/operator/status": {
    answer: OperatorStatus;
  };
  /** List the processes of the installation */
  "GET /api/v1/operator/processes": {
    answer: OperatorProcesses;
  };
  /** Get quota and reputation at SES, and the suppression removals that failed there */
  "GET /api/v1/operator/ses": {
    answer: OperatorSes;
  };
  /** List all accounts */
  "GET /api/v1/operator/accounts": {
    query: ListAccountsQuery;
    answer: ListAccountsAnswer;
  };
  /** Get one account */
  "GET /api/v1/operator/accounts/{id}": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    answer: OperatorAccount;
  };
  /** Put the mail of an account on hold */
  "POST /api/v1/operator/accounts/{id}/hold": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: HoldAccountBody;
    answer: OperatorAccount;
  };
  /** End the hold of an operator on an account */
  "POST /api/v1/operator/accounts/{id}/release": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ReleaseAccountBody;
    answer: OperatorAccount;
  };
  /** Switch the guard of an account */
  "POST /api/v1/operator/accounts/{id}/guard": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: SwitchGuardBody;
    answer: OperatorAccount;
  };
  /** End the hold of the guard on an account */
  "POST /api/v1/operator/accounts/{id}/guard/release": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ReleaseFromGuardBody;
    answer: OperatorAccount;
  };
  /** List SES notifications that could not be applied */
  "GET /api/v1/operator/quarantine": {
    query: ListQuarantineQuery;
    answer: ListQuarantineAnswer;
  };
  /** Read one quarantined notification as it arrived */
  "POST /api/v1/operator/quarantine/{id}/read": {
    path: {
      /** Id from the list */
      id: string;
    };
    body: ReadQuarantinedBody;
    answer: QuarantinedNotification;
  };
  /** Let a worker try quarantined notifications again */
  "POST /api/v1/operator/quarantine/replay": {
    body: ReplayQuarantineBody;
    answer: ReplayQuarantineAnswer;
  };
  /** Change the limits of an account */
  "PATCH /api/v1/operator/accounts/{id}/limits": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ChangeLimitsBody;
    answer: OperatorAccount;
  };
  /** Change the quotas of an account for live or test mail */
  "PATCH /api/v1/operator/accounts/{id}/quotas": {
    path: {
      /** Id from an earlier response */
      id: string;
    };
    body: ChangeQuotasBody;
    answer: OperatorAccount;
  };
}


/** The body of every request that the service sends to a webhook. */
export type Notification =
  | SendSentNotification
  | SendDeliveredNotification
  | SendDelayedNotification
  | SendBouncedNotification
  | SendComplainedNotification
  | SendSuppressedNotification
  | SendFailedNotification
  | DomainVerifiedNotification
  | DomainFailedNotification
  | SuppressionAddedNotification
  | SuppressionRemovedNotification
  | AccountHeldNotification
  | AccountReleasedNotification;
