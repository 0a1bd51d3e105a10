import type { ListSendsQuery } from "../../api/api-types.ts";
import type { Mode, SearchValues } from "../../frame/search-state.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import type { FilterToken } from "../../parts/search-box.tsx";
import { statusLook } from "../../parts/status-look.ts";

export type SendStatus = NonNullable<ListSendsQuery["status"]>;

export const sendStatuses = [
  "queued",
  "processing",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "suppressed",
  "failed",
] as const satisfies SendStatus[];

/** The filters of the list, as the address of the page holds them. */
export interface SendFilters {
  status: SendStatus | undefined;
  recipient: string | undefined;
  domain: string | undefined;
  provider_message_id: string | undefined;
  tag: string | undefined;
  range: RangeName | undefined;
  since: string | undefined;
  until: string | undefined;
}

const hour = 3_600_000;

export const ranges = {
  "1h": { label: "Last hour", ms: hour },
  today: { label: "Today", ms: undefined },
  "24h": { label: "Last 24 hours", ms: 24 * hour },
  "7d": { label: "Last 7 days", ms: 7 * 24 * hour },
  "30d": { label: "Last 30 days", ms: 30 * 24 * hour },
} as const;

export type RangeName = keyof typeof ranges;

/** A value that the API would refuse counts as no filter: an address may be typed by hand. */
export function readFilters(search: SearchValues): SendFilters {
  const { status, recipient, domain, provider_message_id, tag, range, since, until } = search;
  return {
    status: sendStatuses.find((known) => known === status),
    recipient: orNothing(recipient),
    domain: orNothing(domain),
    provider_message_id: orNothing(provider_message_id),
    tag: orNothing(tag),
    range: range !== undefined && Object.hasOwn(ranges, range) ? (range as RangeName) : undefined,
    since: readTime(since),
    until: readTime(until),
  };
}

function orNothing(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

function readTime(value: string | undefined): string | undefined {
  const at = Date.parse(value ?? "");
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

export function hasFilter(filters: SendFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** Relative ranges are computed at each request, so that an open page keeps showing the last hour. */
export function toQuery({ range, ...filters }: SendFilters, mode: Mode, now = Date.now()): ListSendsQuery {
  const { since, ...rest } = filters;
  const from = since ?? (range === undefined ? undefined : new Date(startOf(range, now)).toISOString());
  return { ...rest, ...(from !== undefined && { since: from }), mode };
}

/** When the range begins, in milliseconds. */
export function startOf(range: RangeName, now: number): number {
  const { ms } = ranges[range];
  return ms === undefined ? new Date(now).setHours(0, 0, 0, 0) : now - ms;
}

/** The range has a button of its own, unless it was given by two times. */
export function tokensOf(filters: SendFilters): FilterToken[] {
  const { recipient, status, domain, provider_message_id, tag, since, until } = filters;
  const named: [string, string, string | undefined][] = [
    ["recipient", "recipient", recipient],
    ["status", "status", status],
    ["domain", "from domain", domain],
    ["provider_message_id", "SES id", provider_message_id],
    ["tag", "tag", tag],
    ["since", "since", since === undefined ? undefined : formatDateTime(Date.parse(since))],
    ["until", "until", until === undefined ? undefined : formatDateTime(Date.parse(until))],
  ];
  return named.flatMap(([key, name, value]) => (value === undefined ? [] : [{ key, name, value }]));
}

/** "No delivered live mail to jane@… in the last 30 days" */
export function describeSearch(filters: SendFilters, mode: Mode): string {
  const { recipient, status, domain, provider_message_id, tag, range, since, until } = filters;
  const words = [
    "No",
    status === undefined ? "" : statusLook(status).word.toLowerCase(),
    mode === "test" ? "test mail" : "mail",
    recipient === undefined ? "" : `to ${recipient}`,
    domain === undefined ? "" : `from ${domain}`,
    provider_message_id === undefined ? "" : `with the SES id ${provider_message_id}`,
    tag === undefined ? "" : `with the tag ${tag}`,
    range === undefined ? "" : range === "today" ? "today" : `in the ${ranges[range].label.toLowerCase()}`,
    since === undefined ? "" : `since ${formatDateTime(Date.parse(since))}`,
    until === undefined ? "" : `until ${formatDateTime(Date.parse(until))}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}
