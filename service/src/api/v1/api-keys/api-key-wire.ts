import { z } from "zod";
import type { ApiKey } from "../../../api-keys/api-key-store.ts";
import type { KeyRequest } from "../../../api-keys/create-api-key.ts";
import { maxOverlapSeconds } from "../../../api-keys/roll-api-key.ts";
import { defaultScopes, isComplete, keyScopes } from "../../../api-keys/scopes.ts";
import { readDomainName } from "../../../domains/domain-name.ts";
import { parseIsoTime } from "../../../iso-time.ts";
import { wireTimestamp } from "../../http/wire-format.ts";

const scope = z.enum(keyScopes).meta({ example: "send" });

const scopesText =
  "`send`: send and validate, status and timeline by id. `read`: sends, events, suppressions, domains, usage, and status and timeline " +
  "by id. `suppressions`: remove suppressions. `domains`: register, verify and remove domains. `webhooks`: manage webhooks; needs `read` too. " +
  "They never change";

const domainText =
  "The only domain the key may send from; a subdomain is another domain. Such a key has the scope `send` only, and sees only the " +
  "sends of its domain";

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
    scopes: z
      .array(scope)
      .min(1)
      .refine((scopes) => new Set(scopes).size === scopes.length, { error: "must name each scope once" })
      .refine(isComplete, { error: "must have read beside webhooks" })
      .optional()
      .describe(`What the key may do, by default \`["send"]\`. ${scopesText}`)
      .meta({ example: ["send", "read"] }),
    domain: z
      .string()
      .refine((text) => typeof readDomainName(text) === "string", {
        error: "must be a domain name, such as example.com",
      })
      .nullish()
      .describe(`${domainText}. Omit for all domains of the account`)
      .meta({ example: null }),
  })
  .refine(({ domain, scopes = defaultScopes }) => !domain || (scopes.length === 1 && scopes[0] === "send"), {
    path: ["scopes"],
    error: "must be exactly send for a key with a domain",
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ example: { name: "billing server", type: "test" } });

export const rollKeyBody = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(maxOverlapSeconds)
      .optional()
      .describe("How long the secrets before the new one still work, 0 to 604800, by default 86400. 0 ends them now")
      .meta({ example: 3600 }),
  })
  .meta({ example: { overlap_seconds: 3600 } });

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
  scopes: z.array(scope).describe(scopesText),
  domain: z.string().nullable().describe(`${domainText}. Null when it may send from all`).meta({ example: null }),
  last_used_at: wireTimestamp
    .nullable()
    .describe("When the key was last used, up to two minutes old; null when it was never used"),
  created_by: z
    .object({ user_id: z.uuid(), email: z.string().meta({ example: "ada@example.com" }) })
    .nullable()
    .describe("The user who created the key, also after the user has left the account; null for keys of the operator"),
};

export const apiKeyResponse = z.object(keyFields).meta({ id: "ApiKey", description: "An API key without its secret" });

export const createdKeyResponse = z
  .object({
    ...keyFields,
    key: z.string().describe("The full key. No other response contains it").meta({ example: "postern_live_AAx7Qk…" }),
  })
  .meta({ id: "CreatedApiKey", description: "The new API key with its secret" });

export const rolledKeyResponse = z
  .object({
    ...keyFields,
    key: z.string().describe("The full key. No other response contains it").meta({ example: "postern_live_AAx7Qk…" }),
    previous_secrets_end_at: wireTimestamp.describe("Every earlier secret of the key has ended at this time"),
  })
  .meta({ id: "RolledApiKey", description: "The API key with its new secret" });

export const apiKeyList = z
  .array(apiKeyResponse)
  .describe("The newest 1,000 keys of the account, except revoked ones, newest first");

export const revokedKeyResponse = z
  .object({
    message: z.string().meta({ example: "The API key is revoked. Every further request with it returns 401." }),
  })
  .describe("The key is revoked");

export function toKeyRequest(body: z.infer<typeof createKeyBody>): KeyRequest {
  const { scopes = defaultScopes, domain } = body;
  return {
    name: body.name,
    type: body.type,
    expiresAt: parseIsoTime(body.expires_at ?? "")?.toISOString() ?? null,
    scopes: keyScopes.filter((each) => scopes.includes(each)),
    domain: canonicalDomain(domain),
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
    scopes: key.scopes,
    domain: key.domain,
    last_used_at: key.lastUsedAt,
    created_by:
      key.createdBy === null || key.createdByEmail === null
        ? null
        : { user_id: key.createdBy, email: key.createdByEmail },
  };
}

/** The form that a verified domain has. The body has passed the check of its form. */
function canonicalDomain(text: string | null | undefined): string | null {
  const name = readDomainName(text ?? "");
  return typeof name === "string" ? name : null;
}

/** A distant year is a typo, and PostgreSQL and ISO 8601 disagree about some of them. */
function yearsFromNow(text: string): number {
  const year = parseIsoTime(text)?.getUTCFullYear() ?? Number.POSITIVE_INFINITY;
  return Math.abs(year - new Date().getUTCFullYear());
}
