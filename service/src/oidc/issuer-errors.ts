import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import { AppError } from "../errors.ts";
import { TooLargeError } from "./issuer-fetch.ts";

const startAgain = "Start the log-in again.";

/** The public text never repeats what the request or the issuer said. The log has the reason. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof AuthorizationResponseError) {
    return new AppError("UNAUTHORIZED", `The issuer refused the log-in, or you cancelled it. ${startAgain}`, {
      cause: error,
    });
  }
  if (isUnreachable(error)) {
    return new AppError("UNAVAILABLE", "The issuer of your company does not answer. Try again in a minute.", {
      retryAfterSeconds: 60,
      cause: error,
    });
  }
  return new AppError(
    "UNAUTHORIZED",
    `Postern could not verify the answer of the issuer. ${startAgain} If it fails again, ask the operator of this installation.`,
    { cause: error },
  );
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  if (error instanceof ClientError) {
    const { cause, code } = error;
    if (cause instanceof Response) return cause.status >= 500;
    return code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT" || cause instanceof TooLargeError;
  }
  return error instanceof TypeError && error.message === "fetch failed";
}

/** Of a token whose signature is right. */
const claimErrors = ["OAUTH_JWT_TIMESTAMP_CHECK_FAILED", "OAUTH_JWT_CLAIM_COMPARISON_FAILED"];

/** Whether a change of the discovery document or of the keys explains it: not the refusal of a code, and not a claim. */
export function mayBeStale(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return false;
  if (error instanceof ResponseBodyError) return error.status >= 500 || error.error === "invalid_client";
  if (error instanceof ClientError) return !claimErrors.includes(error.code ?? "");
  return isUnreachable(error);
}

/** For the log: what a program or the operator can act on, without tokens and claims. */
export function reasonOf(error: unknown): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    // The codes of the standards. Everybody can call the callback with another text, such as an address.
    return /^[a-z][a-z_]{0,59}$/.test(error.error)
      ? `the issuer answered ${error.error}`
      : "the issuer answered an error";
  }
  if (error instanceof ClientError) return innermost(error);
  return error instanceof Error ? error.message : "unknown";
}

function innermost(error: Error): string {
  return error.cause instanceof Error && error.cause !== error ? innermost(error.cause) : error.message;
}

export function wrongIssuer(found: string): Error {
  return new Error(`the issuer calls itself ${found.slice(0, 200)}; OIDC_ISSUER must be exactly this text`);
}

export function invalidIdentity(what: "iss" | "azp" | "sub" | "endpoint"): Error {
  return new Error(`the issuer gave an unusable ${what}`);
}
