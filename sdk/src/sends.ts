import type { ListSendsAnswer, ListSendsQuery, SendRecord, SendRequest, SendVerdict, Timeline } from "./api-types.ts";
import type { Ask } from "./ask.ts";
import { eachEntry } from "./each-entry.ts";
import type { Call } from "./result.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";

const credential = "key-or-token";

export class Sends {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** What became of a send. */
  status(id: string, { mode, ...options }: ModeOptions = {}): Call<SendRecord> {
    return this.#ask("GET /api/v1/send/{id}/status", { path: { id }, query: { mode } }, { options, credential });
  }

  /** All that happened to a send: attempts, hand-over, events. */
  timeline(id: string, { mode, ...options }: ModeOptions = {}): Call<Timeline> {
    return this.#ask("GET /api/v1/send/{id}/timeline", { path: { id }, query: { mode } }, { options, credential });
  }

  /** What would become of a mail, without sending it. */
  validate(mail: SendRequest, { mode, ...options }: ModeOptions = {}): Call<SendVerdict> {
    return this.#ask("POST /api/v1/send/validate", { body: mail, query: { mode } }, { options, credential });
  }

  /** One page, newest first. */
  list(query: ListSendsQuery = {}, options?: CallOptions): Call<ListSendsAnswer> {
    return this.#ask("GET /api/v1/sends", { query }, { options, credential });
  }

  /** All of them, newest first, read page by page. Throws a `PosternError` when one cannot be read. */
  each(query: ListSendsQuery = {}, options?: CallOptions): AsyncGenerator<SendRecord, void, undefined> {
    const list = (page: ListSendsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data }) => ({ entries: data.sends, pagination: data.pagination }));
  }
}
