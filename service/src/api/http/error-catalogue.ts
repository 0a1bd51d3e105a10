import type { ErrorCode } from "../../errors.ts";

interface CatalogueEntry {
  status: number;
  /** What happened and what to do next. `GET /errors/:code` serves this text; each error's `doc_url` links to it. */
  meaning: string;
}

/** The only table that assigns an HTTP status to an error code. */
export const errorCatalogue: Record<ErrorCode, CatalogueEntry> = {
  BAD_REQUEST: {
    status: 400,
    meaning: "The server received malformed or incomplete HTTP. Check the client or the proxy in front of it.",
  },
  UNAUTHORIZED: {
    status: 401,
    meaning:
      "The request has no valid credential; the message says what is wrong with it. The endpoints for sends and GET /api/v1/account " +
      "accept an API key in X-API-Key or a JWT in Authorization: Bearer. All other endpoints require the JWT from POST /api/v1/auth/login.",
  },
  DOMAIN_NOT_VERIFIED: {
    status: 400,
    meaning:
      "The domain of `from` is not verified in this account. GET /api/v1/domains/{id} shows its DNS records and which are missing.",
  },
  NOT_FOUND: {
    status: 404,
    meaning:
      "The path does not exist, or this account has no resource with this id. Check the path, the id and the account of the credential.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: "The path does not support this method. The Allow header lists the methods it supports.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning:
      "The server did not receive the whole request in time. Send it again; with an idempotency key this cannot send twice.",
  },
  CONFLICT: {
    status: 409,
    meaning:
      "The idempotency key was already used with a different payload, or the domain is already registered. Use a new key for a new " +
      "email; GET /api/v1/domains lists the domains of the account.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body is larger than this path accepts. Send a smaller body." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "The body is not declared as JSON. Set the header Content-Type: application/json.",
  },
  VALIDATION_ERROR: {
    status: 422,
    meaning:
      "The request is not valid. `details` lists every invalid field with its problem. Fix all of them and send the request again.",
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: "Too many requests. Wait for the number of seconds in Retry-After, then send the same request again.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    meaning: "The request headers are larger than 16 KiB. Send fewer or shorter headers.",
  },
  INTERNAL: {
    status: 500,
    meaning:
      "The server failed because of a bug. The server may or may not have stored the request. Report the request_id to the operator.",
  },
  UNAVAILABLE: {
    status: 503,
    meaning:
      "The service cannot process the request at the moment; the message says why. Send the same request again after the number of " +
      "seconds in Retry-After. If the error persists, contact the operator of this installation.",
  },
};
