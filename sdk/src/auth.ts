import type { LogInBody, LogOutAnswer, RefreshLoginBody, Tokens } from "./api-types.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

/** For programs that manage tokens themselves. The option `login` does this automatically. */
export class Auth {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  logIn(login: LogInBody, options?: CallOptions): Call<Tokens> {
    return this.#request("POST /api/v1/auth/login", { body: login }, { options, credential: "none" });
  }

  /** Retries on 429 only: a refresh token works once, and a second use after more than 30 seconds ends the login. */
  refresh(token: RefreshLoginBody, options?: CallOptions): Call<Tokens> {
    return this.#request(
      "POST /api/v1/auth/refresh",
      { body: token },
      { options, credential: "none", isSafeToRetry: false },
    );
  }

  /** Ends the login of the access token of this client. */
  logOut(options?: CallOptions): Call<LogOutAnswer> {
    return this.#request("POST /api/v1/auth/logout", {}, { options });
  }
}
