/** What an attempt was doing when it failed. */
export type Stage = "look-up" | "wait" | "connect" | "handshake" | "request" | "answer";

type FailingStage = Exclude<Stage, "wait">;

export const busyText =
  "Postern sent nothing: too many requests to the address of this endpoint are in flight, of this and of other endpoints.";

const lateTexts: Record<FailingStage, string> = {
  "look-up": "DNS did not answer the query for the address of the endpoint",
  connect: "the endpoint did not accept a connection",
  handshake: "the endpoint did not finish the TLS handshake",
  request: "the endpoint did not answer",
  answer: "the endpoint did not finish its answer",
};

const unknownAuthority =
  "The certificate of the endpoint is of an unknown authority, or the endpoint does not send the intermediate certificates.";
const selfSigned = "The certificate of the endpoint is self-signed.";
const noRoute = "There is no route to the endpoint.";
const closedEarly = "The endpoint closed the connection before its answer was complete.";

const textOfCode: Record<string, string> = {
  ECONNREFUSED: "The endpoint refused the connection.",
  ENETUNREACH: noRoute,
  EHOSTUNREACH: noRoute,
  EADDRNOTAVAIL: noRoute,
  CERT_HAS_EXPIRED: "The certificate of the endpoint has expired.",
  CERT_NOT_YET_VALID: "The certificate of the endpoint is not valid yet.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the endpoint is for another name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  HPE_HEADER_OVERFLOW: "The headers of the answer have more than 16 KiB.",
};

const otherTexts: Record<FailingStage, string> = {
  "look-up": "Postern could not find the address of the endpoint.",
  connect: "The connection to the endpoint failed.",
  handshake: "The TLS handshake with the endpoint failed.",
  request: closedEarly,
  answer: closedEarly,
};

export function lateText(stage: FailingStage, timeoutMs: number): string {
  return `The attempt ended after ${timeoutMs / 1000} seconds: ${lateTexts[stage]}.`;
}

/** In words for the customer, and nothing of the error itself: it can name what only the operator should see. */
export function failureText(stage: FailingStage, error: unknown): string {
  const code = codeOf(error) ?? "";
  if (code.startsWith("HPE_") && textOfCode[code] === undefined) return "The answer of the endpoint is not valid HTTP.";
  return textOfCode[code] ?? otherTexts[stage];
}

/** The code of an error, or of the error that caused it. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : codeOf(error.cause);
}

export function statusText(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const redirect = status >= 300 && status < 400 ? " Postern does not follow redirects." : "";
  return `The endpoint answered ${status}.${redirect}`;
}
