import { ApiKeys } from "./api-keys.ts";
import type { AcceptedSend, Account, SendRequest } from "./api-types.ts";
import type { Ask } from "./ask.ts";
import { Auth } from "./auth.ts";
import { connect, type PosternOptions } from "./connect.ts";
import { Domains } from "./domains.ts";
import { Events } from "./events.ts";
import type { Call } from "./result.ts";
import { Sends } from "./sends.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";
import { Suppressions } from "./suppressions.ts";
import { wait } from "./wait.ts";

export type * from "./api-types.ts";
export type { PosternOptions } from "./connect.ts";
export {
  type ApiErrorCode,
  type ClientErrorCode,
  type ErrorCode,
  type FieldProblem,
  PosternError,
} from "./postern-error.ts";
export type { Call, Result } from "./result.ts";
export type { CallOptions, ModeOptions } from "./settings.ts";

/**
 * A client for one Postern installation. Every call answers with `{ data, error }`; with `.orThrow()` it answers with the
 * data and throws the error. Field names are those of the API.
 */
export class Postern {
  readonly sends: Sends;
  readonly events: Events;
  readonly suppressions: Suppressions;
  readonly domains: Domains;
  readonly apiKeys: ApiKeys;
  readonly auth: Auth;
  readonly #ask: Ask;

  constructor(options: PosternOptions) {
    const ask = connect(options, { wait, random: Math.random, now: Date.now });
    this.#ask = ask;
    this.sends = new Sends(ask);
    this.events = new Events(ask);
    this.suppressions = new Suppressions(ask);
    this.domains = new Domains(ask);
    this.apiKeys = new ApiKeys(ask);
    this.auth = new Auth(ask);
  }

  /**
   * Sends a mail. It gets an `idempotency_key` unless it has one, and keeps it through all attempts: however often the
   * connection breaks, it goes out once.
   */
  send(mail: SendRequest, { mode, ...options }: ModeOptions = {}): Call<AcceptedSend> {
    const idempotencyKey = mail.idempotency_key ?? crypto.randomUUID();
    const body = { ...mail, idempotency_key: idempotencyKey };
    return this.#ask(
      "POST /api/v1/send",
      { body, query: { mode } },
      { options, idempotencyKey, credential: "key-or-token" },
    );
  }

  /** Whose credential this is, and what it may do. */
  account(options?: CallOptions): Call<Account> {
    return this.#ask("GET /api/v1/account", {}, { options, credential: "key-or-token" });
  }
}
