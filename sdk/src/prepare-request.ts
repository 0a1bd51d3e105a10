import type { Operations } from "./api-types.ts";
import type { WantedCredential } from "./credentials.ts";
import { type CallOptions, resolveSettings, type Settings } from "./settings.ts";

type Part<Name extends keyof Operations, Field extends string> = Field extends keyof Operations[Name]
  ? { [Key in Field]: Operations[Name][Field] }
  : unknown;

/** The path, query and body of an operation. */
export type OperationInput<Name extends keyof Operations> = Part<Name, "path"> &
  Part<Name, "body"> &
  Partial<Part<Name, "query">>;

export interface RequestOptions {
  options?: CallOptions | undefined;
  /** The default is an access token. */
  credential?: "key-or-token" | "none";
  /** False when a retry after an unknown outcome could perform the operation twice. The default is true. */
  isSafeToRetry?: boolean;
  /** Copied into the error, so that the caller can send again with the same key. */
  idempotencyKey?: string;
}

/** One call. All of its attempts use the same values. */
export interface PreparedRequest {
  url: string;
  method: string;
  body: string | undefined;
  requestId: string;
  idempotencyKey: string | undefined;
  wantedCredential: WantedCredential;
  isSafeToRetry: boolean;
  settings: Settings;
}

/** Serializes the input once. Every attempt sends the same bytes, even when the caller changes the object later. */
export function prepareRequest(
  { baseUrl, defaults }: { baseUrl: string; defaults: CallOptions },
  operation: string,
  input: object,
  requestOptions: RequestOptions,
): PreparedRequest {
  const { path = {}, query = {}, body } = input as { path?: PathValues; query?: object; body?: unknown };
  const [method = "", pattern = ""] = operation.split(" ");
  return {
    url: `${baseUrl}${fillPath(pattern, path)}${queryString(query)}`,
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    requestId: crypto.randomUUID(),
    idempotencyKey: requestOptions.idempotencyKey,
    wantedCredential: requestOptions.credential ?? "token",
    isSafeToRetry: requestOptions.isSafeToRetry ?? true,
    settings: resolveSettings({ ...defaults, ...withoutUndefined(requestOptions.options ?? {}) }),
  };
}

/** A JavaScript program can pass undefined where the types require a string. */
type PathValues = Record<string, string | number | undefined>;

function fillPath(pattern: string, path: PathValues): string {
  return Object.entries(path).reduce(
    (filled, [field, value]) => filled.replace(`{${field}}`, pathSegment(field, value)),
    pattern,
  );
}

/** An empty segment, `.` or `..` would change the path. */
function pathSegment(field: string, value: string | number = ""): string {
  if (/^\.{0,2}$/.test(String(value))) throw new TypeError(`${field} is required and must not be "${value}"`);
  return encodeURIComponent(value);
}

function queryString(query: object): string {
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(withoutUndefined(query))) search.append(field, String(value));
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

function withoutUndefined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
