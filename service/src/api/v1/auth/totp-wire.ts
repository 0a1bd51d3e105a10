import { z } from "zod";
import { wireTimestamp } from "../../http/wire-format.ts";

const password = z.string().min(1).max(1024).describe("The user's own password").meta({ format: "password" });

export const totpCodeField = z
  .string()
  .regex(/^\d{6}$/, "must be six digits")
  .describe("Code of the authenticator app. Each counts once")
  .meta({ example: "492039" });

export const recoveryCodeField = z
  .string()
  .min(1)
  .max(64)
  .describe("A recovery code instead of `totp_code`. Each works once");

export const enrolBody = z.strictObject({ password }).meta({ example: { password: "correct horse battery staple" } });

export const enrolResponse = z
  .object({
    secret: z
      .string()
      .describe("To type into an authenticator app. It is not shown again")
      .meta({ example: "JBSWY3DPEHPK3PXP" }),
    otpauth_uri: z.string().describe("The same as a URI, to show as a QR code"),
  })
  .describe("The enrolment waits for a code");

export const confirmBody = z.strictObject({ totp_code: totpCodeField }).meta({ example: { totp_code: "492039" } });

export const recoveryCodesResponse = z
  .object({ recovery_codes: z.array(z.string()).describe("Ten codes. They are not shown again") })
  .describe("The recovery codes");

export const disableBody = z
  .strictObject({ password, totp_code: totpCodeField.optional(), recovery_code: recoveryCodeField.optional() })
  .meta({ example: { password: "correct horse battery staple", totp_code: "492039" } });

export const renewBody = z
  .strictObject({ totp_code: totpCodeField.optional(), recovery_code: recoveryCodeField.optional() })
  .meta({ example: { totp_code: "492039" } });

export const totpResponse = z
  .object({
    enabled: z.boolean(),
    enabled_at: wireTimestamp.nullable(),
    required: z.boolean().describe("The account requires it, and the user can do nothing else before"),
    recovery_codes_left: z.int(),
  })
  .describe("Two-factor authentication of the user");

export const totpDisabledResponse = z.object({ success: z.literal(true), message: z.string() }).describe("It is off");

/** A request has one of the two, or none. */
export function givenCode(body: { totp_code?: string | undefined; recovery_code?: string | undefined }) {
  return { totpCode: body.totp_code, recoveryCode: body.recovery_code };
}
