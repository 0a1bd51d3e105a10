import type { Call, Failure } from "./call.ts";

const shape =
  /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request,\s*SignedHeaders=[^,]+,\s*Signature=[0-9a-f]{64}$/;

/** The signature must be there and be meant for this service. It is not computed: any secret key will do. */
export function problemWithSignature(call: Call, service: string): Failure | undefined {
  const header = call.headers.authorization;
  if (header === undefined) {
    return { status: 403, name: "MissingAuthenticationTokenException", message: "Missing Authentication Token" };
  }
  const scope = shape.exec(header)?.[4];
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
