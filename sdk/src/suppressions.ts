import type {
  ListSuppressionsAnswer,
  ListSuppressionsQuery,
  RemoveSuppressionAnswer,
  Suppression,
} from "./api-types.ts";
import type { Ask } from "./ask.ts";
import { eachEntry } from "./each-entry.ts";
import type { Call } from "./result.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";

export class Suppressions {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** One page, newest first. */
  list(query: ListSuppressionsQuery = {}, options?: CallOptions): Call<ListSuppressionsAnswer> {
    return this.#ask("GET /api/v1/suppression", { query }, { options });
  }

  /** All of them, newest first, read page by page. Throws a `PosternError` when one cannot be read. */
  each(
    query: Omit<ListSuppressionsQuery, "page"> = {},
    options?: CallOptions,
  ): AsyncGenerator<Suppression, void, undefined> {
    const list = (page: ListSuppressionsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data, pagination }) => ({ entries: data, pagination }));
  }

  /** Takes an address off the list: later sends to it are no longer filtered. */
  remove(email: string, { mode, ...options }: ModeOptions = {}): Call<RemoveSuppressionAnswer> {
    return this.#ask("DELETE /api/v1/suppression/{email}", { path: { email }, query: { mode } }, { options });
  }
}
