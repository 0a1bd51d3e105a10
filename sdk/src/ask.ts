import type { Operations } from "./api-types.ts";
import { attempt } from "./attempt.ts";
import type { Credentials, WantedCredential } from "./credentials.ts";
import { PosternError } from "./postern-error.ts";
import { readAnswer } from "./read-answer.ts";
import { repeatDelay } from "./repeat-delay.ts";
import { type Call, type Result, toCall } from "./result.ts";
import { type CallOptions, type Settings, settingsOf } from "./settings.ts";
import { unlessAborted } from "./wait.ts";

type Part<Name extends keyof Operations, Field extends string> = Field extends keyof Operations[Name]
  ? { [Key in Field]: Operations[Name][Field] }
  : unknown;

/** What an operation takes. */
export type Given<Name extends keyof Operations> = Part<Name, "path"> &
  Part<Name, "body"> &
  Partial<Part<Name, "query">>;

interface Manner {
  options?: CallOptions | undefined;
  /** Unless told otherwise an access token is wanted. */
  credential?: "key-or-token" | "none";
  /** True unless a repeat after an unknown outcome could do the thing twice. */
  isRepeatable?: boolean;
  /** For the error, so that the caller can go on with it. */
  idempotencyKey?: string;
}

export type Ask = <Name extends keyof Operations>(
  name: Name,
  given: Given<Name>,
  manner?: Manner,
) => Call<Operations[Name]["answer"]>;

export interface Connection {
  baseUrl: string;
  fetch: typeof fetch | undefined;
  defaults: CallOptions;
  timing: Timing;
}

/** What a test replaces, so that it need not wait. */
export interface Timing {
  /** The signal ends it, too. */
  wait(seconds: number, signal: AbortSignal | undefined): Promise<void>;
  random(): number;
  /** Milliseconds. */
  now(): number;
}

export function createAsk(connection: Connection, credentials: Credentials): Ask {
  return (name, given, manner = {}) =>
    // In an async function, so that a mistake of the program is a rejection too and not thrown at once.
    toCall((async () => perform(connection, credentials, prepare(connection, name, given, manner)))());
}

interface Asked {
  url: string;
  method: string;
  body: string | undefined;
  requestId: string;
  idempotencyKey: string | undefined;
  wanted: WantedCredential;
  isRepeatable: boolean;
  settings: Settings;
}

/** All that is decided before the first attempt: each one sends the same bytes, whatever becomes of the object. */
function prepare({ baseUrl, defaults }: Connection, name: string, given: object, manner: Manner): Asked {
  const { path = {}, query = {}, body } = given as { path?: Texts; query?: object; body?: unknown };
  const [method = "", pattern = ""] = name.split(" ");
  return {
    url: `${baseUrl}${fill(pattern, path)}${searchOf(query)}`,
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    requestId: crypto.randomUUID(),
    idempotencyKey: manner.idempotencyKey,
    wanted: manner.credential ?? "token",
    isRepeatable: manner.isRepeatable ?? true,
    settings: settingsOf({ ...defaults, ...withoutUndefined(manner.options ?? {}) }),
  };
}

/** In programs without types, anything may come instead of a text. */
type Texts = Record<string, string | undefined>;

function fill(pattern: string, path: Texts): string {
  return Object.entries(path).reduce(
    (text, [field, value]) => text.replace(`{${field}}`, segment(field, value)),
    pattern,
  );
}

/** An empty segment or dots would lead to another path. */
function segment(field: string, text = ""): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${field} must be given, and "${text}" is none`);
  return encodeURIComponent(text);
}

function searchOf(query: object): string {
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(withoutUndefined(query))) search.append(field, String(value));
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

async function perform<Data>(connection: Connection, credentials: Credentials, asked: Asked): Promise<Result<Data>> {
  const { settings, isRepeatable, idempotencyKey } = asked;
  const { random, wait } = connection.timing;
  for (let attempts = 1; ; attempts++) {
    const credential = await unlessAborted(() => credentials.present(asked.wanted), settings.signal);
    if (credential === undefined) return aborted(asked);
    if (credential.error !== null) return { data: null, error: forSend(credential.error, idempotencyKey) };

    const result = await attemptWith<Data>(connection, asked, credential.data);
    if (result.error === null) return result;
    if (result.error.status === 401) credentials.refused(credential.data);

    const delay = repeatDelay(result.error, { attempts, isRepeatable, random });
    const isTooLong = (result.error.retryAfter ?? 0) > settings.maxWaitSeconds;
    if (delay === undefined || isTooLong || attempts > settings.retries) return result;
    await wait(Math.min(delay, settings.maxWaitSeconds), settings.signal);
  }
}

async function attemptWith<Data>(
  connection: Connection,
  asked: Asked,
  credential: Record<string, string>,
): Promise<Result<Data>> {
  const { method, url, body, settings } = asked;
  const request = { method, url, body, headers: headersOf(asked, credential) };
  const outcome = await attempt(connection.fetch ?? globalThis.fetch, request, settings);
  return readAnswer(asked, outcome);
}

function aborted(asked: Asked): Result<never> {
  return readAnswer(asked, { kind: "no-answer", code: "ABORTED", cause: asked.settings.signal?.reason });
}

/** An earlier attempt may have sent the mail, so its key must not get lost when the login of a later one fails. */
function forSend(error: PosternError, idempotencyKey: string | undefined): PosternError {
  const { code, message, status, details, requestId, retryAfter, cause } = error;
  return new PosternError({ code, message, status, details, requestId, retryAfter, cause, idempotencyKey });
}

function headersOf({ requestId, body }: Asked, credential: Record<string, string>): Headers {
  return new Headers({
    accept: "application/json",
    "x-request-id": requestId,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...credential,
  });
}

function withoutUndefined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
