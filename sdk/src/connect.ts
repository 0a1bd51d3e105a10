import { type Ask, type Connection, createAsk, type Timing } from "./ask.ts";
import { type CredentialOptions, createCredentials, noCredentials } from "./credentials.ts";
import { createSession } from "./login-session.ts";
import { type CallOptions, settingsOf } from "./settings.ts";

export interface PosternOptions extends CredentialOptions, Omit<CallOptions, "signal"> {
  /** Where the installation is, such as `https://mail.example.com`. */
  baseUrl: string;
  /** Instead of the global one, for a proxy or for tests. */
  fetch?: typeof fetch | undefined;
}

/** How all requests of one client are made. */
export function connect(options: PosternOptions, timing: Timing): Ask {
  const { login, timeoutSeconds, retries, maxWaitSeconds } = options;
  const defaults = settingsOf({ timeoutSeconds, retries, maxWaitSeconds });
  const connection: Connection = { baseUrl: requireBaseUrl(options.baseUrl), fetch: options.fetch, defaults, timing };
  const anonymously = createAsk(connection, noCredentials);
  const session = login === undefined ? undefined : createSession(login, anonymously, timing.now);
  return createAsk(connection, createCredentials(options, session));
}

/** With or without a slash, a path before it or the prefix of the API after it. */
function requireBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw new TypeError("baseUrl must be the address of the installation, such as https://mail.example.com");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}
