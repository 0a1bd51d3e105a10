import type { LogInBody, LogOutAnswer, RefreshLoginBody, Tokens } from "./api-types.ts";
import type { Ask } from "./ask.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

/** For programs that keep tokens themselves; the option `login` does all of this alone. */
export class Auth {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  logIn(login: LogInBody, options?: CallOptions): Call<Tokens> {
    return this.#ask("POST /api/v1/auth/login", { body: login }, { options, credential: "none" });
  }

  /** A refresh token works once, and used again after 30 seconds it ends the login: repeated on 429 only. */
  refresh(token: RefreshLoginBody, options?: CallOptions): Call<Tokens> {
    return this.#ask(
      "POST /api/v1/auth/refresh",
      { body: token },
      { options, credential: "none", isRepeatable: false },
    );
  }

  /** Ends the login of this client's access token. */
  logOut(options?: CallOptions): Call<LogOutAnswer> {
    return this.#ask("POST /api/v1/auth/logout", {}, { options });
  }
}
