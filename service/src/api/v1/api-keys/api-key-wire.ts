import { z } from "zod";
import type { ApiKey } from "../../../api-keys/api-key-store.ts";
import { parseIsoTime } from "../../../iso-time.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

const keyType = z.enum(["live", "test"]).describe("A `live` key sends real email; a `test` key never does");

export const createKeyBody = z
  .strictObject({
    name: z
      .string()
      .max(200)
      .refine((name) => name.trim() !== "" && !/\p{Cc}/u.test(name), {
        error: "must not be blank and must not contain control characters",
      })
      .describe("Label, 1 to 200 characters")
      .meta({ example: "billing server" }),
    type: keyType,
    expires_at: z
      .string()
      .refine((text) => parseIsoTime(text) !== undefined, {
        abort: true,
        error: "must be an ISO 8601 date or date-time, such as 2027-01-31 or 2027-01-31T12:00:00Z",
      })
      .refine((text) => yearsFromNow(text) < 1000, { error: "must be within the next 1000 years" })
      .nullish()
      .describe(
        "An ISO 8601 date or date-time. A date alone, such as `2027-01-31`, is 00:00 UTC; without a zone the time is UTC. Omit for no expiration",
      )
      .meta({ example: "2099-01-31T12:00:00Z" }),
  })
  .meta({ example: { name: "billing server", type: "test" } });

const keyFields = {
  id: z.uuid(),
  name: z.string().meta({ example: "billing server" }),
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
  .object({
    ...keyFields,
    key: z.string().describe("The full key. No other response contains it").meta({ example: "postern_live_AAx7Qk…" }),
  })
  .meta({ id: "CreatedApiKey", description: "The new API key with its secret" });

export const apiKeyList = z
  .array(apiKeyResponse)
  .describe("The newest 1,000 keys of the account, except revoked ones, newest first");

export const revokedKeyResponse = z
  .object({
    message: z.string().meta({ example: "The API key is revoked. Every further request with it returns 401." }),
  })
  .describe("The key is revoked");

export function toKeyRequest(body: z.infer<typeof createKeyBody>) {
  return {
    name: body.name,
    type: body.type,
    expiresAt: parseIsoTime(body.expires_at ?? "")?.toISOString() ?? null,
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

/** A distant year is a typo, and PostgreSQL and ISO 8601 disagree about some of them. */
function yearsFromNow(text: string): number {
  const year = parseIsoTime(text)?.getUTCFullYear() ?? Number.POSITIVE_INFINITY;
  return Math.abs(year - new Date().getUTCFullYear());
}
