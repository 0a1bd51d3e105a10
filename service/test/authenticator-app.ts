import { Secret, TOTP } from "otpauth";

/** An authenticator app that knows the secret of an enrolment. `offset` is in steps of 30 seconds. */
export function authenticatorApp(secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return { code: (offset = 0) => totp.generate({ timestamp: Date.now() + offset * 30_000 }) };
}
