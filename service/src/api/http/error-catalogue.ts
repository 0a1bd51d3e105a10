import type { ErrorCode } from "../../errors.ts";

interface CatalogueEntry {
  status: number;
  /** What happened and what to do next; served at the `doc_url` of each error. */
  meaning: string;
}

/** The one table that gives a code its HTTP status. */
export const errorCatalogue: Record<ErrorCode, CatalogueEntry> = {
  BAD_REQUEST: {
    status: 400,
    meaning: "The bytes received were not a complete HTTP request. Check the client or the proxy in front of it.",
  },
  UNAUTHORIZED: {
    status: 401,
    meaning:
      "No credential was given, or it is not valid (any more). Sending and GET /api/v1/account take an API key in X-API-Key or a JWT as " +
      "Authorization: Bearer; everything else takes the JWT from POST /api/v1/auth/login. The message says what is wrong.",
  },
  DOMAIN_NOT_VERIFIED: {
    status: 400,
    meaning:
      "The domain of `from` is not verified in this account. GET /api/v1/domains/{id} shows its DNS records and what is missing.",
  },
  NOT_FOUND: {
    status: 404,
    meaning:
      "Nothing is stored under this path or id for this account. Check the id, and that the key is of its account.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: "The path exists, but not for this method. The Allow header lists the methods it has.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: "The request was not received completely in time. Send it again; a send with an idempotency key is safe.",
  },
  CONFLICT: {
    status: 409,
    meaning:
      "It clashes with what is stored: an idempotency key used for another payload, or a domain already registered.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body is larger than this path accepts. Send less in one request." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "Bodies are JSON. Set the header Content-Type: application/json.",
  },
  VALIDATION_ERROR: {
    status: 422,
    meaning:
      "The request was understood but is not valid. `details` names every field with its problem; mend them all.",
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: "Too many requests. Wait as long as Retry-After says, then send the same request again.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    meaning: "The request's headers are larger than 16 KiB. Send fewer or shorter ones.",
  },
  INTERNAL: {
    status: 500,
    meaning: "A bug on our side. Nothing is known to have been stored. Report the request_id to the operator.",
  },
  UNAVAILABLE: {
    status: 503,
    meaning:
      "The service cannot do its work at the moment. Send the same request again after Retry-After seconds; if it stays so, " +
      "the message or the operator of the installation knows why.",
  },
};
