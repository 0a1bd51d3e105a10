import type {
  AddSuppressionAnswer,
  AddSuppressionBody,
  GetSuppressionAnswer,
  ImportSuppressionsAnswer,
  ImportSuppressionsBody,
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

  /** Puts an address on the list, so that later sends do not go to it. The entry of an address that is on it already stays as it is. */
  add(body: AddSuppressionBody, { mode, ...options }: ModeOptions = {}): Call<AddSuppressionAnswer> {
    return this.#request("POST /api/v1/suppression", { query: { mode }, body }, { options });
  }

  /** Adds up to 1,000 addresses. Without `dry_run: false` it only counts what it would do. The same entries again change nothing. */
  import(body: ImportSuppressionsBody, { mode, ...options }: ModeOptions = {}): Call<ImportSuppressionsAnswer> {
    return this.#request("POST /api/v1/suppression/import", { query: { mode }, body }, { options });
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
