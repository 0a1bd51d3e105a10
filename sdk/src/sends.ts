import type {
  BatchVerdicts,
  ListSendsAnswer,
  ListSendsQuery,
  SendContent,
  SendRecord,
  SendValidation,
  Timeline,
} from "./api-types.ts";
import { eachEntry } from "./each-entry.ts";
import { type Batch, type Mail, toBatchRequest, toSendRequest } from "./mail.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { BatchOptions, CallOptions, ModeOptions } from "./settings.ts";

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

  /**
   * Sends up to 100 mails in one request. Each has a verdict, in order: `send` with status 202, otherwise `error`. A mail without an
   * `idempotency_key` gets one, so all attempts of the call create each send once. After an error, repeat the call with
   * `idempotencyKey: error.idempotencyKey`. Attachments may be bytes, as in `send`.
   */
  batch(batch: Batch, { mode, idempotencyKey, ...options }: BatchOptions = {}): Call<BatchVerdicts> {
    const batchKey = idempotencyKey ?? crypto.randomUUID();
    const request = toBatchRequest(batch);
    const mails = request.mails.map((mail, index) => ({
      ...mail,
      idempotency_key: mail.idempotency_key ?? `${batchKey}/${index}`,
    }));
    return this.#request(
      "POST /api/v1/send/batch",
      { body: { ...request, mails }, query: { mode } },
      { options, idempotencyKey: batchKey, credential },
    );
  }

  /** Ends a queued send. `CONFLICT` when a worker is submitting it or it has ended. */
  cancel(id: string, { mode, ...options }: ModeOptions = {}): Call<SendRecord> {
    return this.#request("POST /api/v1/send/{id}/cancel", { path: { id }, query: { mode } }, { options, credential });
  }

  /** Ends the queued send that was accepted with this idempotency key. */
  cancelByKey(idempotencyKey: string, { mode, ...options }: ModeOptions = {}): Call<SendRecord> {
    const body = { idempotency_key: idempotencyKey };
    return this.#request("POST /api/v1/send/cancel", { body, query: { mode } }, { options, credential });
  }

  /** Validates a mail without sending it. */
  validate(mail: Mail, { mode, ...options }: ModeOptions = {}): Call<SendValidation> {
    return this.#request(
      "POST /api/v1/send/validate",
      { body: toSendRequest(mail), query: { mode } },
      { options, credential },
    );
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
