import { createSecretKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import { isLoopback } from "./loopback.ts";

/** Whoever has `value` in `claim` is a member of `account`. Owners and operators are made by people only. */
const claimRule = z.strictObject({
  claim: z.string().min(1).max(200),
  value: z.string().min(1).max(500),
  account: z.guid().transform((id) => id.toLowerCase()),
  role: z.enum(["viewer", "developer"]),
});

export type ClaimRule = z.infer<typeof claimRule>;

const maxRules = 1000;

/** People choose these themselves at most issuers, so nobody may become a member by them. */
const ownClaims = new Set([
  "name",
  "given_name",
  "family_name",
  "middle_name",
  "nickname",
  "preferred_username",
  "profile",
  "picture",
  "website",
  "gender",
  "birthdate",
  "zoneinfo",
  "locale",
  "phone_number",
  "address",
]);

export const claimRules = z.string().transform((text, context): ClaimRule[] => {
  const list = z.array(z.unknown()).min(1).max(maxRules).safeParse(parseJson(text));
  if (!list.success) {
    context.addIssue(`must be a JSON list of 1 to ${maxRules} rules such as ${exampleRules}`);
    return z.NEVER;
  }
  return list.data.flatMap((entry, index) => {
    const rule = claimRule.safeParse(entry);
    const problem = rule.success ? ownClaimProblem(rule.data) : problemOf(rule.error);
    if (problem !== undefined) context.addIssue(`has a mistake in rule ${index + 1}: ${problem}`);
    return rule.success ? [rule.data] : [];
  });
});

export const exampleRules =
  '[{"claim":"groups","value":"mail-team","account":"0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f","role":"developer"}]';

function problemOf({ issues }: z.ZodError): string {
  const fields = new Set(issues.map(({ path }) => path[0]));
  if (fields.has("role")) return "role must be viewer or developer; an owner of the account makes other owners";
  if (fields.has("account")) return "account must be the id of an account; `postern admin list-accounts` shows it";
  return "it needs exactly claim, value, account and role, all of them text";
}

function ownClaimProblem({ claim }: ClaimRule): string | undefined {
  return ownClaims.has(claim) ? `people can change their ${claim}; use a claim that the issuer controls` : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compared character by character with what the issuer calls itself, so it is not normalised. */
export const issuerUrl = z.string().refine(isIssuer, {
  error: "must be an https address without query and fragment, such as https://login.acme.io; http only on loopback",
});

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[\s?#@]/.test(text) || text.includes("/.well-known/")) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** A KeyObject hides the text when it is printed. */
export const clientSecret = z
  .string()
  .max(1000)
  .transform((text): KeyObject => createSecretKey(Buffer.from(text)));

export const scopes = z
  .string()
  .refine((text) => /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) && hasOpenid(text), {
    error: "must be scopes separated by single spaces, one of them openid",
  });

function hasOpenid(text: string): boolean {
  return text.split(" ").includes("openid");
}
