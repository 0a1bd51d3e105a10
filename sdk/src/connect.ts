import { type CredentialOptions, createCredentials, noCredentials } from "./credentials.ts";
import { createLoginSession } from "./login-session.ts";
import { type Connection, createRequester, type Requester, type Timing } from "./request.ts";
import { type CallOptions, resolveSettings } from "./settings.ts";

export interface PosternOptions extends CredentialOptions, Omit<CallOptions, "signal"> {
  /** The URL of the installation, such as `https://mail.example.com`. */
  baseUrl: string;
  /** Replaces the global `fetch`, for a proxy or for tests. */
  fetch?: typeof fetch | undefined;
}

/** Creates the function that makes all requests of one client. */
export function connect(options: PosternOptions, timing: Timing): Requester {
  const { login, timeoutSeconds, retries, maxWaitSeconds } = options;
  const defaults = resolveSettings({ timeoutSeconds, retries, maxWaitSeconds });
  const connection: Connection = { baseUrl: requireBaseUrl(options.baseUrl), fetch: options.fetch, defaults, timing };
  const requestAnonymously = createRequester(connection, noCredentials);
  const session = login === undefined ? undefined : createLoginSession(login, requestAnonymously, timing.now);
  return createRequester(connection, createCredentials(options, session));
}

/** Accepts a URL with a path, and removes a trailing slash or a trailing `/api/v1`. */
function requireBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw new TypeError("baseUrl must be the address of the installation, such as https://mail.example.com");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}
