import type { ErrorCode, FieldProblem } from "../../errors.ts";

interface CatalogueEntry {
  status: number;
  meaning: string;
  /** What the caller does next. `GET /errors/:code` serves these texts; each error's `doc_url` links to it. */
  action: string;
  /** What such a response can contain. */
  example: { message: string; details?: FieldProblem[]; header?: string };
}

/** The only table that assigns an HTTP status to an error code. `npm run docs` writes docs/reference/errors.md from it. */
export const errorCatalogue: Record<ErrorCode, CatalogueEntry> = {
  BAD_REQUEST: {
    status: 400,
    meaning: "The server received malformed or incomplete HTTP.",
    action: "Check the client or the proxy in front of it.",
    example: { message: "The server received malformed HTTP. Check the client or the proxy in front of it." },
  },
  UNAUTHORIZED: {
    status: 401,
    meaning: "The request has no valid credential; the message says what is wrong with it.",
    action:
      "The endpoints for sends and `GET /api/v1/account` accept an API key in `X-API-Key` or a JWT in `Authorization: Bearer`. All other " +
      "endpoints require the JWT from `POST /api/v1/auth/login`.",
    example: {
      message: "The API key is incomplete or has a typo. Copy it again; it looks like postern_live_… .",
      header: 'WWW-Authenticate: Bearer realm="Postern"',
    },
  },
  FORBIDDEN: {
    status: 403,
    meaning:
      "The user is a member of the account, but the role of the user does not allow this request, or the account requires two-factor " +
      "authentication and the user has none, or the operator has switched off what the request reads; the message says which.",
    action:
      "Ask an owner of the account for the role; `GET /api/v1/auth/me` shows your role in each account. Set up two-factor " +
      "authentication at `POST /api/v1/auth/totp`.",
    example: {
      message:
        "This needs the role developer, and your role in this account is viewer. An owner of the account can change your role.",
    },
  },
  DOMAIN_NOT_VERIFIED: {
    status: 400,
    meaning: "The domain of `from` is not verified in this account.",
    action:
      "`GET /api/v1/domains/{id}` shows its DNS records and which are missing. Add them, then send again. For test mail, use a test API " +
      "key and send from `sandbox.test`, which needs no verification.",
    example: {
      message:
        "The domain acme.io is not verified in this account. Register it at POST /api/v1/domains if it is not registered yet; " +
        "GET /api/v1/domains/{id} then shows which DNS records are missing.",
    },
  },
  NOT_FOUND: {
    status: 404,
    meaning: "The path does not exist, or this account has no resource with this id.",
    action: "Check the path, the id and the account of the credential.",
    example: { message: "This account has no send with this id." },
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: "The path does not support this method.",
    action: "Use one of the methods in the `Allow` header.",
    example: {
      message: "This path does not support PUT. It supports GET, HEAD, POST.",
      header: "Allow: GET, HEAD, POST",
    },
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: "The server did not receive the whole request in time.",
    action: "Send it again; with an idempotency key this cannot send twice.",
    example: { message: "The server did not receive the whole request in time. Send it again." },
  },
  CONFLICT: {
    status: 409,
    meaning:
      "The idempotency key was already used with a different payload, or the domain is already registered, or is not verified, or the " +
      "webhook is disabled, or the body of the notification is no longer stored, or the send can no longer be cancelled; the message says " +
      "which.",
    action:
      "Use a new key for a new email. `GET /api/v1/domains` lists the domains of the account. `PATCH` a webhook with `enabled` true.",
    example: {
      message:
        "Send 0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f already used this idempotency key with a different payload. Differing fields: " +
        "subject. Use a new key for a new email.",
      details: [
        { field: "subject", code: "differs", message: "differs from send 0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f" },
      ],
    },
  },
  CONTENT_NOT_KEPT: {
    status: 410,
    meaning:
      "Postern does not have the content of this send: its retention is over, or it was never stored because all recipients were suppressed.",
    action: "`GET /api/v1/send/{id}/status` and `/timeline` still show the send. The operator chooses the retention.",
    example: {
      message:
        "The content of this send is no longer kept, or it was never stored because all recipients were suppressed.",
    },
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: "The body is larger than this path accepts; the message names the limit.",
    action:
      "Send a smaller body: at most 8 MiB to `POST /api/v1/send/batch`, 8 MiB and the attachments to `/send` and `/send/validate`, 64 KiB to other paths.",
    example: { message: "The body is larger than 64 KiB, the limit of this path. Send a smaller body." },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "The headers do not declare a JSON body in UTF-8 without compression.",
    action: "Send JSON in UTF-8, uncompressed, with the header `Content-Type: application/json`.",
    example: {
      message:
        "The Content-Encoding header declares a compressed body, such as gzip. Send the body uncompressed, without this header.",
    },
  },
  VALIDATION_ERROR: {
    status: 422,
    meaning: "The request is not valid. `details` lists every invalid field with its problem.",
    action: "Fix all of them and send the request again.",
    example: {
      message: "to[0] has no @; give an address such as jane@example.com; subject is required.",
      details: [
        { field: "to[0]", code: "invalid", message: "has no @; give an address such as jane@example.com" },
        { field: "subject", code: "required", message: "is required" },
      ],
    },
  },
  BATCH_REFUSED: {
    status: 422,
    meaning: "No mail of the batch was accepted. `verdicts` says why, for each mail.",
    action: "Fix the mails as their verdicts say, and send the batch again with the same keys.",
    example: {
      message: "None of the 2 mails of the batch was accepted. The entry of each mail in verdicts says why.",
    },
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning:
      "The account has used up one of its limits for sends, validations, reads, changes of the suppression list, or changes of domains, " +
      "or has too many requests or registrations in progress, or one IP address failed to log in too often, or a domain was checked moments ago.",
    action:
      "Wait for the number of seconds in `Retry-After`, then send the same request again. The headers `RateLimit-Policy` and " +
      "`RateLimit` of the responses to `POST /api/v1/send`, `/send/batch`, `/send/validate` and to reads show the limits and what remains.",
    example: {
      message:
        "The account has reached its send rate limit (3 a second, 20 in 10 seconds, 100 a minute). Send the same request again " +
        "after 1 s. If this happens often, ask the operator of this installation for higher limits.",
      header: "Retry-After: 1",
    },
  },
  QUOTA_EXCEEDED: {
    status: 429,
    meaning:
      "The send would exceed a quota of the account that the operator set: recipients a day, queued recipients or stored content; " +
      "the message names it and its size. A repeat of an accepted send still gets its first response.",
    action:
      "Wait for the number of seconds in `Retry-After`, or ask the operator of this installation for a higher quota. Do not retry in a " +
      "loop: a quota of recipients a day has room again at 00:00 UTC.",
    example: {
      message:
        "The account has a quota of 1,000 recipients of live mail a day, of which 0 remain; this send has 1. The quota has room again at " +
        "00:00 UTC, in 5 h 12 min. Send the same request again then, or ask the operator of this installation for a higher quota.",
      header: "Retry-After: 18720",
    },
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    meaning: "The request headers are larger than 16 KiB.",
    action: "Send fewer or shorter headers.",
    example: { message: "The request headers are larger than 16 KiB. Send fewer or shorter headers." },
  },
  INTERNAL: {
    status: 500,
    meaning: "The server failed because of a bug. It may or may not have stored the request.",
    action: "Report the `request_id` to the operator.",
    example: { message: "The server failed because of a bug. Report the request_id to the operator." },
  },
  UNAVAILABLE: {
    status: 503,
    meaning: "The service cannot process the request at the moment; the message says why.",
    action:
      "Send the same request again after the number of seconds in `Retry-After`. If the error persists, contact the operator of this " +
      "installation.",
    example: {
      message: "The database is overloaded at the moment. Try again shortly.",
      header: "Retry-After: 2",
    },
  },
};
