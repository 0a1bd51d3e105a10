import type { LogInBody } from "./api-types.ts";
import type { Session } from "./login-session.ts";
import type { Result } from "./result.ts";

export interface CredentialOptions {
  /** For sending: `postern_live_…` or `postern_test_…`. */
  apiKey?: string | undefined;
  /** For everything: a JWT, or a function that is asked for one before each request. */
  accessToken?: string | (() => string | Promise<string>) | undefined;
  /** Instead of `accessToken`: logs in when a token is first needed, and keeps it fresh. */
  login?: LogInBody | undefined;
}

export type WantedCredential = "key-or-token" | "token" | "none";

type CredentialHeaders = Record<string, string>;

export interface Credentials {
  /** The header that tells who asks. A login that does not work is a result. */
  present(wanted: WantedCredential): Promise<Result<CredentialHeaders>>;
  /** The service did not accept it. */
  refused(headers: CredentialHeaders): void;
}

export const noCredentials: Credentials = {
  present: async () => ({ data: {}, error: null }),
  refused: () => undefined,
};

/** A key is sent where keys are taken, a token elsewhere; the only one there is is sent in any case, and the service explains. */
export function createCredentials(options: CredentialOptions, session: Session | undefined): Credentials {
  const { apiKey, accessToken } = options;
  const byKey = apiKey === undefined ? undefined : { "x-api-key": headerText("apiKey", apiKey) };
  if (typeof accessToken === "string") headerText("accessToken", accessToken);
  const hasToken = accessToken !== undefined || session !== undefined;

  return {
    async present(wanted) {
      if (wanted === "none") return { data: {}, error: null };
      if (byKey !== undefined && (wanted === "key-or-token" || !hasToken)) return { data: byKey, error: null };
      if (accessToken !== undefined) {
        const token = typeof accessToken === "function" ? await accessToken() : accessToken;
        return { data: bearer(token), error: null };
      }
      if (session === undefined) return { data: {}, error: null };
      const token = await session.token();
      return token.error === null ? { data: bearer(token.data), error: null } : token;
    },
    refused: ({ authorization }) => session?.forget((token) => bearer(token).authorization === authorization),
  };
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${headerText("accessToken", token)}` };
}

/** `fetch` would say the same, but with the secret in the message. */
function headerText(name: string, text: string): string {
  const trimmed = text.trim();
  if (/^[!-~]+$/.test(trimmed)) return trimmed;
  throw new TypeError(`${name} is empty or has characters that no key or token has`);
}
