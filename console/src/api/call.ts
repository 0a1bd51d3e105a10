import { errorOf, noAnswer, sessionEnded } from "./api-error.ts";
import type { Operations } from "./api-types.ts";
import { session } from "./session.ts";

type Operation = keyof Operations;
type Field<O extends Operation, Name extends string> = Operations[O] extends { [Key in Name]: infer Value }
  ? Value
  : never;
export type Answer<O extends Operation> = Field<O, "answer">;

export type Input<O extends Operation> = (Operations[O] extends { path: infer Path } ? { path: Path } : object) &
  (Operations[O] extends { query: infer Query } ? { query?: Query } : object) &
  (Operations[O] extends { body: infer Body } ? { body: Body } : object) & {
    signal?: AbortSignal | undefined;
    deadlineMs?: number;
  };

interface Parts {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  deadlineMs?: number;
}

const usualDeadlineMs = 20_000;

/**
 * One request to the public API with the access token of this tab. A 401 may mean that the token has just expired, so the call
 * refreshes the session and tries once more; a second 401 means that the session has ended.
 */
export async function call<O extends Operation>(operation: O, input: Input<O>): Promise<Answer<O>> {
  const token = await session.token();
  if (token === undefined) throw sessionEnded();
  const first = await request(operation, input as Parts, token);
  if (first.status !== 401) return read<O>(first);
  const error = await errorOf(first);
  if (error.details.length > 0 || bodyHasPassword(input as Parts)) throw error;
  const renewed = await session.renew(token);
  if (renewed === undefined) throw sessionEnded();
  const second = await request(operation, input as Parts, renewed);
  if (second.status === 401) session.ended();
  return read<O>(second);
}

/** There a 401 means a wrong password, and a second try would count as a second failure. */
function bodyHasPassword({ body }: Parts): boolean {
  return typeof body === "object" && body !== null && ("password" in body || "current_password" in body);
}

/** A request without a session: log-in, password reset, invitation. */
export async function callOpen<O extends Operation>(operation: O, input: Input<O>): Promise<Answer<O>> {
  return read<O>(await request(operation, input as Parts, undefined));
}

async function request(operation: Operation, parts: Parts, token: string | undefined) {
  const { path, query, body, signal, deadlineMs = usualDeadlineMs } = parts;
  const [method = "GET", template = ""] = operation.split(" ");
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])));
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await fetch(filled + queryText(query), {
      method,
      headers: {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: "same-origin",
      cache: "no-store",
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw noAnswer(error);
  }
}

async function read<O extends Operation>(response: Response): Promise<Answer<O>> {
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as Answer<O>;
}

function queryText(query: Record<string, unknown> | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}
