/** The facts about an error that an SDK call throws. */
export interface AwsFault {
  name: string;
  message: string;
  /** Undefined when no answer arrived. */
  status: number | undefined;
  requestId: string | undefined;
  /** Why the SDK did not send the request; undefined when it may have sent it. */
  notSent: "no-connection" | "no-credentials" | "untrusted-server" | undefined;
}

const denialNames = new Set([
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

/** The other names that SES documents for SendEmail. */
const refusalNames = new Set([
  "AccountSuspendedException",
  "BadRequestException",
  "LimitExceededException",
  "MailFromDomainNotVerifiedException",
  "MessageRejected",
  "NotFoundException",
  "SendingPausedException",
]);

const throttleNames = new Set(["TooManyRequestsException", "Throttling", "ThrottledException", "ThrottlingException"]);

/** Node checks the server's certificate before it writes the first byte of a request. */
const untrustedServerCodes = new Set([
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
    // The SDK appends lines of advice for developers, and the page of a proxy may be long.
    message:
      String(message ?? error)
        .split("\n")[0]
        ?.slice(0, 500) ?? "",
    status: typeof httpStatusCode === "number" ? httpStatusCode : undefined,
    requestId: typeof requestId === "string" ? requestId : undefined,
    notSent: httpStatusCode === undefined ? whyNotSent(asObject(error)) : undefined,
  };
}

/** AWS itself answered with a 4xx and an error name. The error page of a proxy has a status and no such name. */
export function isNamedRefusal({ name, status = 0 }: AwsFault): boolean {
  return status >= 400 && status < 500 && name !== "SyntaxError" && name !== "Unknown";
}

export function isDenial(fault: AwsFault): boolean {
  const isDenied = denialNames.has(fault.name) || fault.status === 401 || fault.status === 403;
  return fault.notSent === "no-credentials" || (isDenied && isNamedRefusal(fault));
}

/** A 429 is a throttle whatever its text. A 5xx is never one: its error name proves nothing about the request. */
export function isThrottle(fault: AwsFault): boolean {
  return fault.status === 429 || (throttleNames.has(fault.name) && isNamedRefusal(fault));
}

/** One of a few names: any server in between can answer with a name of its own. */
export function errorCodeOf({ name, status = 0, notSent }: AwsFault): string {
  if (notSent !== undefined) return notSent;
  if (denialNames.has(name) || throttleNames.has(name) || refusalNames.has(name)) return name;
  if (status >= 500) return "server-error";
  if (status === 0) return name === "TimeoutError" || name === "AbortError" ? "timeout" : "connection-lost";
  return "other";
}

function whyNotSent(error: Record<string, unknown>): AwsFault["notSent"] {
  if (error.name === "CredentialsProviderError") return "no-credentials";
  if (untrustedServerCodes.has(String(error.code))) return "untrusted-server";
  return isConnectFailure(error) || isConnectTimeout(error) ? "no-connection" : undefined;
}

/**
 * The failed system call decides, not the error code: an established connection can also end with EHOSTUNREACH or
 * ETIMEDOUT, after Node wrote the request. A host name with several addresses has one error for each.
 */
function isConnectFailure(error: Record<string, unknown>): boolean {
  if (Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every((each) => isConnectFailure(asObject(each)));
  }
  return error.syscall === "connect" || error.syscall === "getaddrinfo";
}

/** The SDK's connect timeout differs from its request timeout by its text and by having no code. */
function isConnectTimeout({ name, code, message }: Record<string, unknown>): boolean {
  return name === "TimeoutError" && code === undefined && /did not establish a connection/.test(String(message));
}

function asObject(value: unknown): Record<string, unknown> {
  // Reading any member of an object is safe; the caller checks the type of the value.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
