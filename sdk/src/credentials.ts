import type { LogInBody } from "./api-types.ts";
import type { Result } from "./result.ts";

export interface CredentialOptions {
  /** `postern_live_…` or `postern_test_…`. Its scopes say what it may do beside sending. */
  apiKey?: string | undefined;
  /** For all endpoints: a JWT, or a function that returns one before each attempt. */
  accessToken?: string | (() => string | Promise<string>) | undefined;
  /** Instead of `accessToken`: the client logs in when it first needs a token, and refreshes the token. */
  login?: LogInBody | undefined;
}

export type WantedCredential = "key-or-token" | "token" | "none";

type CredentialHeaders = Record<string, string>;

export interface Credentials {
  /** The headers that authenticate a request. A failed login is an error result. */
  present(wanted: WantedCredential): Promise<Result<CredentialHeaders>>;
  /** The service answered 401 to these headers. */
  refused(headers: CredentialHeaders): void;
}

/** The tokens of one login. */
export interface LoginSession {
  /** A valid access token. Concurrent calls share one login. */
  token(): Promise<Result<string>>;
  /** Discards the current access token if it matches, so that the next call logs in again. */
  discard(matches: (accessToken: string) => boolean): void;
}

export const noCredentials: Credentials = {
  present: async () => ({ data: {}, error: null }),
  refused: () => undefined,
};

/**
 * Sends the key for sends and usage, and a token elsewhere. A client with only one credential always sends that one; the
 * service explains a refusal.
 */
export function createCredentials(options: CredentialOptions, session: LoginSession | undefined): Credentials {
  const { apiKey, accessToken } = options;
  const keyHeaders = apiKey === undefined ? undefined : { "x-api-key": headerText("apiKey", apiKey) };
  if (typeof accessToken === "string") headerText("accessToken", accessToken);
  const hasToken = accessToken !== undefined || session !== undefined;

  return {
    async present(wanted) {
      if (wanted === "none") return { data: {}, error: null };
      if (keyHeaders !== undefined && (wanted === "key-or-token" || !hasToken))
        return { data: keyHeaders, error: null };
      if (accessToken !== undefined) {
        const token = typeof accessToken === "function" ? await accessToken() : accessToken;
        return { data: bearer(token), error: null };
      }
      if (session === undefined) return { data: {}, error: null };
      const token = await session.token();
      return token.error === null ? { data: bearer(token.data), error: null } : token;
    },
    refused: ({ authorization }) => session?.discard((token) => bearer(token).authorization === authorization),
  };
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${headerText("accessToken", token)}` };
}

/** `fetch` also rejects such text, but its message contains the secret. */
function headerText(name: string, text: string): string {
  const trimmed = text.trim();
  if (/^[!-~]+$/.test(trimmed)) return trimmed;
  throw new TypeError(`${name} is empty or has characters that no key or token has`);
}
