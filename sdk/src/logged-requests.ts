import type { ListRequestsAnswer, ListRequestsQuery, LoggedRequest } from "./api-types.ts";
import { eachEntry } from "./each-entry.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class LoggedRequests {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** One page of the refused requests of the account and a sample of accepted ones, newest first. */
  list(query: ListRequestsQuery = {}, options?: CallOptions): Call<ListRequestsAnswer> {
    return this.#request("GET /api/v1/requests", { query }, { options, credential: "key-or-token" });
  }

  /** Iterates over all entries, newest first, page by page. Throws a `PosternError` when a page cannot be read. */
  each(query: ListRequestsQuery = {}, options?: CallOptions): AsyncGenerator<LoggedRequest, void, undefined> {
    const list = (page: ListRequestsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data }) => ({ entries: data.requests, pagination: data.pagination }));
  }
}
