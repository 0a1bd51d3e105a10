import { errorOf, noAnswer } from "./api-error.ts";
import type { Tokens } from "./api-types.ts";

/**
 * The session of this tab. The access token exists in memory only; the refresh token is in a cookie that scripts cannot read.
 * All tabs of a browser share the cookie, so they refresh one after another (`navigator.locks`) and report log-in, log-out and
 * account switches to each other.
 */
export type SessionState = "unknown" | "open" | "none";
type Message = "opened" | "ended" | "switched";

const base = "/api/v1/auth";
/** A token is renewed this long before it expires, so that no request fails for that reason. */
const marginMs = 30_000;

class Session {
  state: SessionState = "unknown";
  #token: string | undefined;
  #expiresAt = 0;
  #renewing: Promise<string | undefined> | undefined;
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("postern-session");

  constructor() {
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => this.#hear(data));
  }

  /** A token that is valid now, or undefined without a session. */
  async token(): Promise<string | undefined> {
    if (this.state === "none") return undefined;
    if (this.#token !== undefined && Date.now() < this.#expiresAt - marginMs) return this.#token;
    return this.renew(this.#token);
  }

  /** Replaces `used`, unless another call has replaced it already. */
  async renew(used: string | undefined): Promise<string | undefined> {
    if (this.#token !== undefined && this.#token !== used) return this.#token;
    this.#renewing ??= this.#refresh().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** After a log-in or an account switch in this tab. */
  open(tokens: Tokens, message: "opened" | "switched" = "opened"): void {
    this.#keep(tokens);
    this.#report(message);
  }

  /** The API said that the session has ended. */
  ended(): void {
    const wasOpen = this.state === "open";
    this.#drop();
    if (wasOpen) this.#emit("ended");
  }

  /** Ends the session everywhere: at the API, in this tab, in the others. */
  async logOut(): Promise<void> {
    const token = this.#token ?? (await this.renew(undefined));
    if (token !== undefined) {
      await fetch(`${base}/logout`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
    }
    this.#drop();
    this.#report("ended");
    this.#emit("ended");
  }

  subscribe(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #refresh(): Promise<string | undefined> {
    const response = await inOneTab(() => this.#requestTokens());
    if (response.status === 401 || response.status === 403) {
      this.ended();
      return undefined;
    }
    if (!response.ok) throw await errorOf(response);
    this.#keep((await response.json()) as Tokens);
    return this.#token;
  }

  async #requestTokens(): Promise<Response> {
    try {
      return await fetch(`${base}/refresh`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ browser: true }),
        cache: "no-store",
        signal: AbortSignal.timeout(20_000),
      });
    } catch (error) {
      throw noAnswer(error);
    }
  }

  #keep({ access_token, expires_in }: Tokens): void {
    this.#token = access_token;
    this.#expiresAt = Date.now() + expires_in * 1000;
    this.state = "open";
  }

  #drop(): void {
    this.#token = undefined;
    this.state = "none";
  }

  #hear(message: Message): void {
    if (message === "ended") this.#drop();
    else {
      this.#token = undefined;
      this.state = "unknown";
    }
    this.#emit(message);
  }

  #report(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #emit(message: Message): void {
    for (const listener of this.#listeners) listener(message);
  }
}

/** Without this, two tabs could exchange one refresh token at the same time. Plain http outside localhost has no locks. */
function inOneTab(work: () => Promise<Response>): Promise<Response> {
  if (navigator.locks === undefined) return work();
  return navigator.locks.request("postern-refresh", { signal: AbortSignal.timeout(25_000) }, work);
}

export const session = new Session();
