import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { checkCode, clearWrongCodes, type GivenCode, wrongCode } from "./check-code.ts";
import { countCode } from "./code-throttle.ts";
import type { LoginDeps } from "./login-deps.ts";
import { isRecentUnlessOidc } from "./oidc-login-store.ts";
import { type PasswordProof, requireOwnPassword } from "./own-password.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-code.ts";
import { endOtherSessions } from "./session-store.ts";
import { enrolmentOf, newTotpSecret, openTotpSecret, sealTotpSecret, stepOfCode } from "./totp.ts";
import {
  disableTotp,
  enableTotp,
  findTotp,
  lockUser,
  replaceRecoveryCodes,
  storeEnrolment,
  type TotpUser,
  useCode,
} from "./totp-store.ts";

const recentMinutes = 10;
const atIssuer = "The issuer asks for your second factor: set it up there.";

interface OwnUser extends TotpUser {
  loginId: string;
}

/** The secret is shown here and never again. TOTP is off until a code confirms it. */
export async function startTotpEnrolment(
  db: Database,
  deps: LoginDeps,
  user: OwnUser,
  proof: PasswordProof,
): Promise<{ secret: string; uri: string }> {
  const { email } = await requireOwnPassword(db, deps, user.userId, proof, atIssuer);
  const secret = newTotpSecret();
  const sealed = sealTotpSecret(await deps.openTotpKey(db), user.userId, secret);
  if (!(await storeEnrolment(db, user, sealed))) throw alreadyEnabled();
  return enrolmentOf(secret, email);
}

/** Enables TOTP and returns the recovery codes, which are shown here and never again. */
export async function confirmTotpEnrolment(
  db: Database,
  deps: LoginDeps,
  user: OwnUser,
  totpCode: string,
): Promise<string[]> {
  const { userId } = user;
  const stored = await findTotp(db, userId);
  if (stored === undefined || stored.secret === null) throw notStarted();
  if (stored.enabledAt !== null) throw alreadyEnabled();
  await countCode(db, deps.throttle, { userId, purpose: "session", isRecovery: false });
  const step = stepOfCode(openTotpSecret(await deps.openTotpKey(db), userId, stored.secret), totpCode, stored.now);
  if (step === undefined) throw wrongCode();
  const codes = newRecoveryCodes();
  const used = { secret: stored.secret, step, recoveryHash: null };
  const isEnabled = await db.withTransaction(async (tx) => {
    await lockUser(tx, userId);
    if (!(await enableTotp(tx, user, used, codes.map(hashRecoveryCode)))) return false;
    // They began without a second factor. A statement of its own sees a log-in that committed while this one waited for the user.
    await endOtherSessions(tx, { userId, loginId: user.loginId });
    return true;
  });
  if (!isEnabled) throw wrongCode();
  await clearWrongCodes(db, deps, userId, "session", used);
  return codes;
}

export async function turnTotpOff(
  db: Database,
  deps: LoginDeps,
  user: OwnUser,
  proof: PasswordProof & GivenCode,
): Promise<void> {
  const { userId } = user;
  await requireOwnPassword(db, deps, userId, proof, atIssuer);
  const used = await checkCode(db, deps, userId, "session", proof);
  if (used === undefined) throw notEnabled();
  const isDisabled = await db.withTransaction(async (tx) => {
    await lockUser(tx, userId);
    return disableTotp(tx, user, used);
  });
  if (!isDisabled) throw wrongCode();
  await clearWrongCodes(db, deps, userId, "session", used);
}

/** The old codes stop working. */
export async function renewRecoveryCodes(
  db: Database,
  deps: LoginDeps,
  user: OwnUser,
  given: GivenCode,
): Promise<string[]> {
  const { userId } = user;
  const used = await checkCode(db, deps, userId, "session", given);
  if (used === undefined) throw notEnabled();
  const codes = newRecoveryCodes();
  const isReplaced = await db.withTransaction(async (tx) => {
    await lockUser(tx, userId);
    return replaceRecoveryCodes(tx, user, used, codes.map(hashRecoveryCode));
  });
  if (!isReplaced) throw wrongCode();
  await clearWrongCodes(db, deps, userId, "session", used);
  return codes;
}

/** For what a stolen session must not do. A user without TOTP needs no code, and a user of the OIDC issuer a recent log-in instead. */
export async function requireOwnCode(
  db: Database,
  deps: LoginDeps,
  { userId, loginId }: OwnUser,
  given: GivenCode,
): Promise<void> {
  const used = await checkCode(db, deps, userId, "session", given);
  if (used === undefined) {
    if (!(await isRecentUnlessOidc(db, loginId, recentMinutes))) throw needsRecentLogin();
    return;
  }
  if (!(await useCode(db, userId, used))) throw wrongCode();
  await clearWrongCodes(db, deps, userId, "session", used);
}

function needsRecentLogin(): AppError {
  return new AppError(
    "FORBIDDEN",
    `This needs a log-in of the last ${recentMinutes} minutes. Log in again at /api/v1/auth/oidc/start.`,
  );
}

function alreadyEnabled(): AppError {
  return new AppError(
    "CONFLICT",
    "Two-factor authentication is on. Turn it off first, at POST /api/v1/auth/totp/disable.",
  );
}

function notStarted(): AppError {
  return new AppError("CONFLICT", "There is no enrolment to confirm. Start one at POST /api/v1/auth/totp.");
}

function notEnabled(): AppError {
  return new AppError("CONFLICT", "Two-factor authentication is off.");
}
