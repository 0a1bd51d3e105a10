import { z } from "zod";
import type { ApiKey } from "../../../api-keys/api-key-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

const keyType = z.enum(["live", "test"]).describe("A `live` key sends real email; a `test` key never does");

export const createKeyBody = z.strictObject({
  name: z
    .string()
    .max(200)
    .refine((name) => name.trim() !== "" && !/\p{Cc}/u.test(name), {
      error: "must not be blank and must not contain control characters",
    })
    .describe("Label, 1 to 200 characters")
    .meta({ example: "billing server" }),
  type: keyType,
  expires_at: z.iso
    .datetime({ offset: true, abort: true, error: "must be an ISO 8601 time such as 2027-01-31T12:00:00Z" })
    .refine((text) => yearsFromNow(text) < 1000, { error: "must be an ISO 8601 time within the next 1000 years" })
    .nullish()
    .describe("Omit for no expiration"),
});

const keyFields = {
  id: z.uuid(),
  name: z.string(),
  type: keyType,
  key_prefix: z
    .string()
    .describe("First characters of the key, followed by `...`")
    .meta({ example: "postern_live_AAx7Qk..." }),
  expires_at: wireTimestamp.nullable().describe("Null when the key does not expire"),
  created_at: wireTimestamp,
};

export const apiKeyResponse = z.object(keyFields).meta({ id: "ApiKey", description: "An API key without its secret" });

export const createdKeyResponse = z
  .object({ ...keyFields, key: z.string().describe("The full key. No other response contains it") })
  .meta({ id: "CreatedApiKey", description: "The new API key with its secret" });

export const apiKeyList = z.array(apiKeyResponse).describe("All keys of the account except revoked ones, newest first");

export const revokedKeyResponse = z.object({ message: z.string() }).describe("The key is revoked");

export function toKeyRequest(body: z.infer<typeof createKeyBody>) {
  const expiresAt = body.expires_at ?? undefined;
  return {
    name: body.name,
    type: body.type,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  };
}

export function toApiKeyResponse(key: ApiKey): z.infer<typeof apiKeyResponse> {
  return {
    id: key.id,
    name: key.name,
    type: key.type,
    key_prefix: key.keyPrefix,
    expires_at: key.expiresAt,
    created_at: key.createdAt,
  };
}

/** A distant year is a typo, and PostgreSQL and ISO 8601 disagree about some of them. An invalid date is infinitely far. */
function yearsFromNow(text: string): number {
  const years = Math.abs(new Date(text).getUTCFullYear() - new Date().getUTCFullYear());
  return Number.isNaN(years) ? Number.POSITIVE_INFINITY : years;
}
