import type { Event, ListEventsAnswer, ListEventsQuery } from "./api-types.ts";
import type { Ask } from "./ask.ts";
import { eachEntry } from "./each-entry.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class Events {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** One page, newest first. */
  list(query: ListEventsQuery = {}, options?: CallOptions): Call<ListEventsAnswer> {
    return this.#ask("GET /api/v1/events", { query }, { options });
  }

  /** All of them, newest first, read page by page. Throws a `PosternError` when one cannot be read. */
  each(query: Omit<ListEventsQuery, "page"> = {}, options?: CallOptions): AsyncGenerator<Event, void, undefined> {
    const list = (page: ListEventsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data }) => ({ entries: data.events, pagination: data.pagination }));
  }
}
