import type { ListRequestsQuery, LoggedRequest } from "../../api/api-types.ts";
import type { Mode, SearchValues } from "../../frame/search-state.ts";
import type { FilterToken } from "../../parts/search-box.tsx";

type ErrorCode = NonNullable<LoggedRequest["error_code"]>;

/** The filters of the list, as the address of the page holds them. */
export interface RequestFilters {
  status: string | undefined;
  error_code: ErrorCode | undefined;
  api_key_id: string | undefined;
  method: Method | undefined;
  route: string | undefined;
  request_id: string | undefined;
  range: RangeName | undefined;
}

type Method = NonNullable<ListRequestsQuery["method"]>;

const methods = ["GET", "POST", "PATCH", "DELETE", "HEAD"] as const satisfies Method[];

export const statusChoices: Record<string, string> = {
  "4xx": "Refused (4xx)",
  "5xx": "Failed (5xx)",
  "2xx": "Accepted (sample)",
};

const hour = 3_600_000;

export const ranges = {
  "1h": { label: "Last hour", ms: hour },
  "24h": { label: "Last 24 hours", ms: 24 * hour },
} as const;

type RangeName = keyof typeof ranges;

/** The codes that an account can get, by how often people look for them. */
export const errorWords: Record<ErrorCode, string> = {
  VALIDATION_ERROR: "Not valid",
  UNAUTHORIZED: "Credential refused",
  FORBIDDEN: "Role not enough",
  DOMAIN_NOT_VERIFIED: "Domain not verified",
  RATE_LIMIT_EXCEEDED: "Rate limit",
  QUOTA_EXCEEDED: "Quota",
  CONFLICT: "Conflict",
  NOT_FOUND: "Not found",
  BATCH_REFUSED: "No mail of the batch accepted",
  PAYLOAD_TOO_LARGE: "Body too large",
  UNSUPPORTED_MEDIA_TYPE: "Not sent as JSON",
  CONTENT_NOT_KEPT: "Content not kept",
  METHOD_NOT_ALLOWED: "Method not supported",
  REQUEST_TIMEOUT: "Body came too slowly",
  BAD_REQUEST: "Not received completely",
  HEADERS_TOO_LARGE: "Headers too large",
  INTERNAL: "Bug in Postern",
  UNAVAILABLE: "Postern was not available",
};

/** A value that the API would refuse counts as no filter: an address may be typed by hand. */
export function readFilters(search: SearchValues): RequestFilters {
  const { status, error_code, api_key_id, method, route, request_id, range } = search;
  return {
    status: /^([2-5]xx|[2-5]\d\d)$/.test(status ?? "") ? status : undefined,
    error_code: isErrorCode(error_code) ? error_code : undefined,
    api_key_id: /^[0-9a-f-]{36}$/i.test(api_key_id ?? "") ? api_key_id : undefined,
    method: methods.find((known) => known === method),
    route: route?.startsWith("/") ? route : undefined,
    request_id: isRequestId(request_id) ? request_id : undefined,
    range: range !== undefined && Object.hasOwn(ranges, range) ? (range as RangeName) : undefined,
  };
}

function isErrorCode(text: string | undefined): text is ErrorCode {
  return text !== undefined && Object.hasOwn(errorWords, text);
}

export function isRequestId(text: string | undefined): text is string {
  return /^[A-Za-z0-9._-]{1,128}$/.test(text ?? "");
}

/** A request id is looked for in both modes, because an error names the id alone. */
export function toQuery({ range, ...filters }: RequestFilters, mode: Mode, now = Date.now()): ListRequestsQuery {
  if (filters.request_id !== undefined) return { request_id: filters.request_id };
  const since = range === undefined ? {} : { since: new Date(now - ranges[range].ms).toISOString() };
  return { ...filters, ...since, mode };
}

export function hasFilter(filters: RequestFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** The others have a menu of their own. */
export function tokensOf({ request_id, method, route, status }: RequestFilters): FilterToken[] {
  const named: [string, string, string | undefined][] = [
    ["request_id", "request id", request_id],
    ["method", "method", method],
    ["route", "route", route],
    ["status", "status", status !== undefined && status in statusChoices ? undefined : status],
  ];
  return named.flatMap(([key, name, value]) => (value === undefined ? [] : [{ key, name, value }]));
}
