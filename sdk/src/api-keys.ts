import type {
  CreateApiKeyBody,
  CreatedApiKey,
  ListApiKeysAnswer,
  RevokeApiKeyAnswer,
  RollApiKeyBody,
  RolledApiKey,
} from "./api-types.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class ApiKeys {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** Only this response contains the full `key`. Retries on 429 only: after a lost response, a retry would create a second key. */
  create(key: CreateApiKeyBody, options?: CallOptions): Call<CreatedApiKey> {
    return this.#request("POST /api/v1/api-keys", { body: key }, { options, isSafeToRetry: false });
  }

  /**
   * Gives the key a new secret; only this response contains it. Earlier secrets work until the overlap ends. Retries on 429 only: after
   * a lost response, a retry would make another secret.
   */
  roll(id: string, overlap: RollApiKeyBody = {}, options?: CallOptions): Call<RolledApiKey> {
    return this.#request(
      "POST /api/v1/api-keys/{id}/roll",
      { path: { id }, body: overlap },
      { options, isSafeToRetry: false },
    );
  }

  list(options?: CallOptions): Call<ListApiKeysAnswer> {
    return this.#request("GET /api/v1/api-keys", {}, { options });
  }

  /** Revokes the key permanently. The API refuses the next request with it. */
  revoke(id: string, options?: CallOptions): Call<RevokeApiKeyAnswer> {
    return this.#request("DELETE /api/v1/api-keys/{id}", { path: { id } }, { options });
  }
}
