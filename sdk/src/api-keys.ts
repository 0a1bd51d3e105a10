import type { CreateApiKeyBody, CreatedApiKey, ListApiKeysAnswer, RevokeApiKeyAnswer } from "./api-types.ts";
import type { Ask } from "./ask.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class ApiKeys {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The answer holds the full `key`, for the only time. Repeated on 429 only: a lost answer must not leave a second key. */
  create(key: CreateApiKeyBody, options?: CallOptions): Call<CreatedApiKey> {
    return this.#ask("POST /api/v1/api-keys", { body: key }, { options, isRepeatable: false });
  }

  list(options?: CallOptions): Call<ListApiKeysAnswer> {
    return this.#ask("GET /api/v1/api-keys", {}, { options });
  }

  /** For good; the key is refused from the next request on. */
  revoke(id: string, options?: CallOptions): Call<RevokeApiKeyAnswer> {
    return this.#ask("DELETE /api/v1/api-keys/{id}", { path: { id } }, { options });
  }
}
