import { z } from "zod";
import { accessTokenSeconds } from "../../../logins/access-token.ts";
import type { Tokens } from "../../../logins/log-in.ts";

export const loginBody = z.strictObject({
  email: z.string().min(1).max(254).meta({ example: "ada@example.com" }),
  password: z.string().min(1).max(1024),
});

export const refreshBody = z.strictObject({
  refresh_token: z.string().min(1).max(512),
});

export const tokensAnswer = z
  .object({
    access_token: z.string().describe("Send it as Authorization: Bearer"),
    token_type: z.literal("Bearer"),
    expires_in: z.int().describe("Seconds until the access token expires"),
    refresh_token: z.string().describe("Exchange it once at POST /api/v1/auth/refresh for the next pair"),
  })
  .meta({ id: "Tokens", description: "A pair of tokens" });

export const logoutAnswer = z.object({ success: z.literal(true), message: z.string() }).describe("The login has ended");

export const keySetAnswer = z
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
  .describe("The public keys that access tokens are signed with");

export function toTokensAnswer({ accessToken, refreshToken }: Tokens): z.infer<typeof tokensAnswer> {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
  };
}
