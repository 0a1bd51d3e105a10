/** What can be said of anything an SDK call throws. */
export interface AwsFault {
  name: string;
  message: string;
  /** Absent when no answer came. */
  status: number | undefined;
  requestId: string | undefined;
  /** The request was never written, so nothing can have come of it. */
  neverLeft: "no-connection" | "no-credentials" | "no-trust" | undefined;
}

const denials = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "AuthorizationErrorException",
  "ExpiredToken",
  "ExpiredTokenException",
  "IncompleteSignature",
  "IncompleteSignatureException",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "MissingAuthenticationToken",
  "MissingAuthenticationTokenException",
  "NotAuthorized",
  "OptInRequired",
  "RequestExpired",
  "RequestTimeTooSkewed",
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
]);

const throttles = new Set(["TooManyRequestsException", "Throttling", "ThrottledException", "ThrottlingException"]);

/** The server's certificate is checked before the first byte of a request is written. */
const mistrust = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

export function readFault(error: unknown): AwsFault {
  const { name, message, $metadata } = asObject(error);
  const { httpStatusCode, requestId } = asObject($metadata);
  return {
    name: typeof name === "string" ? name : "Error",
    // The SDK adds lines of advice for developers, and a proxy's page may be long.
    message:
      String(message ?? error)
        .split("\n")[0]
        ?.slice(0, 500) ?? "",
    status: typeof httpStatusCode === "number" ? httpStatusCode : undefined,
    requestId: typeof requestId === "string" ? requestId : undefined,
    neverLeft: httpStatusCode === undefined ? whyItNeverLeft(asObject(error)) : undefined,
  };
}

/** A client error with the provider's own name for it. A page some proxy answers with has a status but no such name. */
export function isNamedRefusal({ name, status = 0 }: AwsFault): boolean {
  return status >= 400 && status < 500 && name !== "SyntaxError" && name !== "Unknown";
}

export function isDenial(fault: AwsFault): boolean {
  const isDenied = denials.has(fault.name) || fault.status === 401 || fault.status === 403;
  return fault.neverLeft === "no-credentials" || (isDenied && isNamedRefusal(fault));
}

/** A 429 says so in any wording; a 5xx never counts, because what it says of the request cannot be relied on. */
export function isThrottle(fault: AwsFault): boolean {
  return fault.status === 429 || (throttles.has(fault.name) && isNamedRefusal(fault));
}

function whyItNeverLeft(error: Record<string, unknown>): AwsFault["neverLeft"] {
  if (error.name === "CredentialsProviderError") return "no-credentials";
  if (mistrust.has(String(error.code))) return "no-trust";
  return isConnectFailure(error) || isConnectTimeout(error) ? "no-connection" : undefined;
}

/**
 * The step that failed decides, not the code: an established connection can end with EHOSTUNREACH or ETIMEDOUT too, after
 * the request was written. Where a name has several addresses, each has its own error.
 */
function isConnectFailure(error: Record<string, unknown>): boolean {
  if (Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every((each) => isConnectFailure(asObject(each)));
  }
  return error.syscall === "connect" || error.syscall === "getaddrinfo";
}

/** The SDK tells its two timeouts apart by text only; the one after writing has a code as well. */
function isConnectTimeout({ name, code, message }: Record<string, unknown>): boolean {
  return name === "TimeoutError" && code === undefined && /did not establish a connection/.test(String(message));
}

function asObject(value: unknown): Record<string, unknown> {
  // Any object can be asked for a member; what it holds is checked where it is used.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
