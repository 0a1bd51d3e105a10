import type { Event, ListEventsAnswer, ListEventsQuery } from "./api-types.ts";
import { eachEntry } from "./each-entry.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class Events {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** One page, newest first. */
  list(query: ListEventsQuery = {}, options?: CallOptions): Call<ListEventsAnswer> {
    return this.#request("GET /api/v1/events", { query }, { options });
  }

  /** Iterates over all entries, newest first, page by page. Throws a `PosternError` when a page cannot be read. */
  each(query: Omit<ListEventsQuery, "page"> = {}, options?: CallOptions): AsyncGenerator<Event, void, undefined> {
    const list = (page: ListEventsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data }) => ({ entries: data.events, pagination: data.pagination }));
  }
}
