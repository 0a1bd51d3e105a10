import type {
  ListSendsAnswer,
  ListSendsQuery,
  SendContent,
  SendRecord,
  SendRequest,
  SendValidation,
  Timeline,
} from "./api-types.ts";
import { eachEntry } from "./each-entry.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";

const credential = "key-or-token";

export class Sends {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** Returns the status record of a send. */
  status(id: string, { mode, ...options }: ModeOptions = {}): Call<SendRecord> {
    return this.#request("GET /api/v1/send/{id}/status", { path: { id }, query: { mode } }, { options, credential });
  }

  /** Returns the history of a send: attempts, submission, events. */
  timeline(id: string, { mode, ...options }: ModeOptions = {}): Call<Timeline> {
    return this.#request("GET /api/v1/send/{id}/timeline", { path: { id }, query: { mode } }, { options, credential });
  }

  /** Returns what was sent, while it is kept. A key needs the scope `read`. */
  content(id: string, { mode, ...options }: ModeOptions = {}): Call<SendContent> {
    return this.#request("GET /api/v1/send/{id}/content", { path: { id }, query: { mode } }, { options, credential });
  }

  /** Validates a mail without sending it. */
  validate(mail: SendRequest, { mode, ...options }: ModeOptions = {}): Call<SendValidation> {
    return this.#request("POST /api/v1/send/validate", { body: mail, query: { mode } }, { options, credential });
  }

  /** One page, newest first. */
  list(query: ListSendsQuery = {}, options?: CallOptions): Call<ListSendsAnswer> {
    return this.#request("GET /api/v1/sends", { query }, { options, credential });
  }

  /** Iterates over all entries, newest first, page by page. Throws a `PosternError` when a page cannot be read. */
  each(query: ListSendsQuery = {}, options?: CallOptions): AsyncGenerator<SendRecord, void, undefined> {
    const list = (page: ListSendsQuery) => this.list(page, options);
    return eachEntry(list, query, ({ data }) => ({ entries: data.sends, pagination: data.pagination }));
  }
}
