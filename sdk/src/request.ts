import type { Operations } from "./api-types.ts";
import { attempt } from "./attempt.ts";
import type { Credentials } from "./credentials.ts";
import { PosternError } from "./postern-error.ts";
import { type OperationInput, type PreparedRequest, prepareRequest, type RequestOptions } from "./prepare-request.ts";
import { readResponse } from "./read-response.ts";
import { type Call, type Result, toCall } from "./result.ts";
import { retryDelay } from "./retry-delay.ts";
import type { CallOptions } from "./settings.ts";
import { unlessAborted } from "./wait.ts";

/** Calls one operation of the API. */
export type Requester = <Name extends keyof Operations>(
  operation: Name,
  input: OperationInput<Name>,
  requestOptions?: RequestOptions,
) => Call<Operations[Name]["answer"]>;

export interface Connection {
  baseUrl: string;
  fetch: typeof fetch | undefined;
  defaults: CallOptions;
  timing: Timing;
}

/** Tests replace this, so that they do not have to wait. */
export interface Timing {
  /** Resolves early when the signal aborts. */
  wait(seconds: number, signal: AbortSignal | undefined): Promise<void>;
  random(): number;
  /** Milliseconds. */
  now(): number;
}

export function createRequester(connection: Connection, credentials: Credentials): Requester {
  return (operation, input, requestOptions = {}) =>
    // The async function turns an exception of prepareRequest into a rejection.
    toCall(
      (async () =>
        sendWithRetries(connection, credentials, prepareRequest(connection, operation, input, requestOptions)))(),
    );
}

async function sendWithRetries<Data>(
  connection: Connection,
  credentials: Credentials,
  request: PreparedRequest,
): Promise<Result<Data>> {
  const { settings, isSafeToRetry, idempotencyKey } = request;
  const { random, wait } = connection.timing;
  for (let attempts = 1; ; attempts++) {
    const credential = await unlessAborted(() => credentials.present(request.wantedCredential), settings.signal);
    if (credential === undefined) return aborted(request);
    if (credential.error !== null) return { data: null, error: withIdempotencyKey(credential.error, idempotencyKey) };

    const result = await sendOnce<Data>(connection, request, credential.data);
    if (result.error === null) return result;
    if (result.error.status === 401) credentials.refused(credential.data);

    const delay = retryDelay(result.error, { attempts, isSafeToRetry, random });
    const isTooLong = (result.error.retryAfter ?? 0) > settings.maxWaitSeconds;
    if (delay === undefined || isTooLong || attempts > settings.retries) return result;
    await wait(Math.min(delay, settings.maxWaitSeconds), settings.signal);
  }
}

async function sendOnce<Data>(
  connection: Connection,
  request: PreparedRequest,
  credential: Record<string, string>,
): Promise<Result<Data>> {
  const { method, url, body, settings } = request;
  const httpRequest = { method, url, body, headers: requestHeaders(request, credential) };
  const outcome = await attempt(connection.fetch ?? globalThis.fetch, httpRequest, settings);
  return readResponse(request, outcome);
}

function aborted(request: PreparedRequest): Result<never> {
  return readResponse(request, { kind: "no-response", code: "ABORTED", cause: request.settings.signal?.reason });
}

/** An earlier attempt may have created the send, so the caller needs its key even when a later login fails. */
function withIdempotencyKey(error: PosternError, idempotencyKey: string | undefined): PosternError {
  const { code, message, status, details, requestId, retryAfter, cause } = error;
  return new PosternError({ code, message, status, details, requestId, retryAfter, cause, idempotencyKey });
}

function requestHeaders({ requestId, body }: PreparedRequest, credential: Record<string, string>): Headers {
  return new Headers({
    accept: "application/json",
    "x-request-id": requestId,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...credential,
  });
}
