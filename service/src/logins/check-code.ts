import type { Database } from "../db/database.ts";
import { AppError, type FieldProblem } from "../errors.ts";
import { type CodeUse, clearCodes, countCode } from "./code-throttle.ts";
import type { LoginDeps } from "./login-deps.ts";
import { hashRecoveryCode } from "./recovery-code.ts";
import { openTotpSecret, stepOfCode } from "./totp.ts";
import { findTotp, type UsedCode } from "./totp-store.ts";

/** At most one of the two is given. */
export interface GivenCode {
  totpCode?: string | undefined;
  recoveryCode?: string | undefined;
}

/**
 * Undefined for a user without TOTP. Otherwise the statement that does what the code permits also uses it up, so that it counts once.
 * Throws without a code and for a wrong one. A recovery code is looked up by that statement.
 */
export async function checkCode(
  db: Database,
  deps: LoginDeps,
  userId: string,
  purpose: CodeUse["purpose"],
  given: GivenCode,
): Promise<UsedCode | undefined> {
  const stored = await findTotp(db, userId);
  if (stored === undefined || stored.secret === null || stored.enabledAt === null) return undefined;
  if (given.totpCode === undefined && given.recoveryCode === undefined) throw missingCode();
  await countCode(db, deps.throttle, { userId, purpose, isRecovery: given.totpCode === undefined });
  const secret = stored.secret;
  if (given.totpCode === undefined) {
    return { secret, step: null, recoveryHash: hashRecoveryCode(given.recoveryCode ?? "") };
  }
  const step = stepOfCode(openTotpSecret(await deps.openTotpKey(db), userId, secret), given.totpCode, stored.now);
  if (step === undefined) throw wrongCode();
  return { secret, step, recoveryHash: null };
}

/** After the statement that used the code up. */
export function clearWrongCodes(
  db: Database,
  deps: LoginDeps,
  userId: string,
  purpose: CodeUse["purpose"],
  used: UsedCode,
): Promise<void> {
  return clearCodes(db, deps.throttle, { userId, purpose, isRecovery: used.recoveryHash !== null });
}

/** The `details` tell a program what to ask for. */
function missingCode(): AppError {
  return refusedCode(
    "required",
    "The password is right, and this user has two-factor authentication. Send totp_code, the code of the authenticator app, or " +
      "recovery_code as well.",
  );
}

export function wrongCode(): AppError {
  return refusedCode("invalid", "The code is wrong or was used before. Send the next code of the authenticator app.");
}

/** Undefined for every other error. */
export function failureOfCode(error: unknown): { wrong: "code" } | { missing: "code" } | undefined {
  if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") return undefined;
  const problem = error.details?.[0]?.code;
  if (problem === "invalid") return { wrong: "code" };
  return problem === "required" ? { missing: "code" } : undefined;
}

function refusedCode(code: FieldProblem["code"], message: string): AppError {
  return new AppError("UNAUTHORIZED", message, { details: [{ field: "totp_code", code, message }] });
}
