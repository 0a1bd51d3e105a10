import { z } from "zod";
import { accessTokenSeconds } from "../../../logins/access-token.ts";
import type { Tokens } from "../../../logins/log-in.ts";
import { recoveryCodeField, totpCodeField } from "./totp-wire.ts";

export const loginBody = z
  .strictObject({
    email: z.string().min(1).max(254).meta({ example: "ada@example.com" }),
    password: z.string().min(1).max(1024).meta({ format: "password" }),
    totp_code: totpCodeField.optional(),
    recovery_code: recoveryCodeField.optional(),
    browser: z
      .boolean()
      .optional()
      .describe(
        "`true`: the refresh token comes in an HttpOnly cookie only. For pages of this installation; needs `Origin`",
      ),
  })
  .meta({ example: { email: "ada@example.com", password: "correct horse battery staple" } });

export const refreshBody = z
  .strictObject({
    refresh_token: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe("From the last log-in or refresh; required without `browser`"),
    browser: z.literal(true).optional().describe("The refresh token is in the cookie of a log-in with `browser`"),
    session_id: z
      .guid()
      .optional()
      .describe("The session to refresh: claim `sid` of the access token. 409 if the token is of another one"),
  })
  .meta({ example: { refresh_token: "the refresh_token of the last response" } });

export const tokensResponse = z
  .object({
    access_token: z.string().describe("Send it in the header `Authorization: Bearer`"),
    token_type: z.literal("Bearer"),
    expires_in: z.int().describe("Seconds until the access token expires"),
    refresh_token: z
      .string()
      .optional()
      .describe(
        "Exchange it at POST /api/v1/auth/refresh for the next tokens. Absent with `browser`: it is in the cookie",
      ),
  })
  .meta({ id: "Tokens", description: "An access token and the refresh token that renews it" });

export const logoutResponse = z
  .object({ success: z.literal(true), message: z.string() })
  .describe("The login has ended");

export const keySetResponse = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("OKP"),
        crv: z.literal("Ed25519"),
        x: z.string(),
        kid: z.string(),
        use: z.literal("sig"),
        alg: z.literal("EdDSA"),
      }),
    ),
  })
  .describe("The public keys that verify access tokens");

export function toTokensResponse({ accessToken, refreshToken }: Tokens): z.infer<typeof tokensResponse> {
  return { ...toBrowserResponse({ accessToken }), refresh_token: refreshToken };
}

/** Without the refresh token, which is in the cookie. */
export function toBrowserResponse({ accessToken }: Pick<Tokens, "accessToken">): z.infer<typeof tokensResponse> {
  return { access_token: accessToken, token_type: "Bearer", expires_in: accessTokenSeconds };
}
