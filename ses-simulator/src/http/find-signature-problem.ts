import type { Call, Failure } from "./call.ts";

const signatureFormat =
  /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request,\s*SignedHeaders=[^,]+,\s*Signature=[0-9a-f]{64}$/;

/** Requires a complete signature for this service. It does not verify the signature, so any secret key works. */
export function findSignatureProblem(call: Call, service: string): Failure | undefined {
  const header = call.headers.authorization;
  if (header === undefined) {
    return { status: 403, name: "MissingAuthenticationTokenException", message: "Missing Authentication Token" };
  }
  const scope = signatureFormat.exec(header)?.[4];
  if (scope === undefined) {
    return {
      status: 403,
      name: "IncompleteSignatureException",
      message: "The authorization header is not a complete AWS4-HMAC-SHA256 signature.",
    };
  }
  if (scope !== service) {
    return {
      status: 403,
      name: "InvalidSignatureException",
      message: `Credential should be scoped to correct service: '${service}'.`,
    };
  }
  if (call.headers["x-amz-date"] === undefined) {
    return { status: 403, name: "IncompleteSignatureException", message: "The request has no 'X-Amz-Date' header." };
  }
  return undefined;
}
