import { isAtLeast, type Role } from "../../src/accounts/role.ts";
import { type CallerAccess, hasScope } from "../../src/api/auth/route-access.ts";
import type { ApiDeps } from "../../src/api/http/api-server.ts";
import { type KeyScope, keyScopes } from "../../src/api-keys/scopes.ts";
import type { Database } from "../../src/db/database.ts";
import { bothModes, type Mode } from "../../src/mode.ts";
import { anApiKey } from "../../test/builders.ts";
import type { ScopeAccount } from "./scope-accounts.ts";

/** A credential of an account and what the table of access says about it. */
export interface ScopeCredential {
  name: string;
  headers: Record<string, string>;
  mode: Mode;
  opens(access: CallerAccess): boolean;
  /** Of a request that the table does not open. */
  refusal(access: CallerAccess): { status: number; message: RegExp };
}

/** Every set of scopes and a key for the domain of the account, in both modes; keys with one scope in both headers, the others in one. */
export async function keyCredentials(
  db: Database,
  deps: ApiDeps,
  { accountId, domain }: ScopeAccount,
): Promise<ScopeCredential[]> {
  const made: ScopeCredential[] = [];
  for (const mode of bothModes) {
    for (const options of [...scopeSets.map((scopes) => ({ scopes })), { scopes: ["send" as const], domain }]) {
      const { key } = await anApiKey(db, deps.apiKeyIssuer, accountId, { type: mode, ...options });
      const name = `${mode} key with ${options.scopes.join(", ")}${"domain" in options ? " for one domain" : ""}`;
      const [inOwnHeader, asBearer] = [{ "x-api-key": key }, { authorization: `Bearer ${key}` }];
      const isSingle = options.scopes.length === 1;
      for (const headers of isSingle ? [inOwnHeader, asBearer] : [made.length % 2 === 0 ? inOwnHeader : asBearer]) {
        made.push({ name, headers, mode, opens: (access) => hasScope(options.scopes, access), refusal: refusalOfKey });
      }
    }
  }
  return made;
}

/** A user who has this role in the account. */
export function userCredential(accessToken: string, role: Role): ScopeCredential {
  return {
    name: role,
    headers: { authorization: `Bearer ${accessToken}` },
    mode: "live",
    opens: ({ role: needed }) => needed === "any-user" || (needed !== "operator" && isAtLeast(role, needed)),
    refusal: (access) => ({
      status: 403,
      message:
        access.role === "operator"
          ? /^Your user may not call this path\.$/
          : new RegExp(`needs the role ${access.role}, and your role .* ${role}`),
    }),
  };
}

/** The operator of the account, who is a viewer there. */
export function operatorCredential({ operatorToken }: ScopeAccount): ScopeCredential {
  const viewer = userCredential(operatorToken, "viewer");
  return { ...viewer, name: "operator", opens: (access) => access.role === "operator" || viewer.opens(access) };
}

const scopeSets: KeyScope[][] = Array.from({ length: 2 ** keyScopes.length - 1 }, (_, set) =>
  keyScopes.filter((_scope, index) => ((set + 1) >> index) % 2 === 1),
);

function refusalOfKey({ key }: CallerAccess): { status: number; message: RegExp } {
  if (key === "never") return { status: 401, message: /does not accept API keys/ };
  return { status: 401, message: key === "send-or-read" ? /scope `send` or `read`/ : new RegExp(`scope \`${key}\``) };
}
