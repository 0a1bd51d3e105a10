import type {
  GetSuppressionAnswer,
  ListSuppressionsAnswer,
  ListSuppressionsQuery,
  RemoveSuppressionAnswer,
  Suppression,
} from "./api-types.ts";
import { eachEntry } from "./each-entry.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";

export class Suppressions {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** One page, newest first. */
  list(query: ListSuppressionsQuery = {}, options?: CallOptions): Call<ListSuppressionsAnswer> {
    return this.#request("GET /api/v1/suppression", { query }, { options });
  }

  /** Iterates over all entries, newest first, page by page. Throws a `PosternError` when a page cannot be read. */
  each(
    query: Omit<ListSuppressionsQuery, "page"> = {},
    options?: CallOptions,
  ): AsyncGenerator<Suppression, void, undefined> {
    const list = (page: ListSuppressionsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data, pagination }) => ({ entries: data, pagination }));
  }

  /** The entries of an address and its last removal, with its outcome at SES. `NOT_FOUND` for an address that has neither. */
  get(email: string, { mode, ...options }: ModeOptions = {}): Call<GetSuppressionAnswer> {
    return this.#request("GET /api/v1/suppression/{email}", { path: { email }, query: { mode } }, { options });
  }

  /** Removes an address from the suppression list, so that later sends to it go out. */
  remove(email: string, { mode, ...options }: ModeOptions = {}): Call<RemoveSuppressionAnswer> {
    return this.#request("DELETE /api/v1/suppression/{email}", { path: { email }, query: { mode } }, { options });
  }
}
