import type { ListAuditQuery } from "../../api/api-types.ts";
import type { SearchValues } from "../../frame/search-state.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import type { FilterToken } from "../../parts/search-box.tsx";
import { type RangeName, ranges, startOf } from "../activity/send-filters.ts";
import { wordGroups, wordsOf } from "./action-words.ts";
import type { AuditAction, TargetKind } from "./audit-types.ts";

/** The filters of the audit, as the address of the page holds them. */
export interface AuditFilters {
  actor: string | undefined;
  action: AuditAction | undefined;
  target: string | undefined;
  target_kind: TargetKind | undefined;
  range: RangeName | undefined;
  since: string | undefined;
  until: string | undefined;
}

export const kindWords: Record<TargetKind, string> = {
  account: "account",
  address: "erased address",
  "api-key": "API key",
  domain: "domain",
  invitation: "invitation",
  member: "member",
  quarantine: "quarantined notification",
  send: "send",
  suppression: "suppression",
  user: "log-ins of",
  webhook: "webhook",
};

const actions = new Set(wordGroups.flatMap(({ words }) => Object.keys(words)));

/** A value that the API would refuse counts as no filter: an address may be typed by hand. */
export function readFilters(search: SearchValues): AuditFilters {
  const { actor, action = "", target, target_kind = "", range, since, until } = search;
  return {
    actor: orNothing(actor),
    action: actions.has(action) ? (action as AuditAction) : undefined,
    target: orNothing(target),
    target_kind: Object.hasOwn(kindWords, target_kind) ? (target_kind as TargetKind) : undefined,
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

export const noFilters = {
  actor: undefined,
  action: undefined,
  target: undefined,
  target_kind: undefined,
  range: undefined,
  since: undefined,
  until: undefined,
} satisfies AuditFilters;

export function hasFilter(filters: AuditFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** A relative range counts from the moment of the request. */
export function toQuery({ range, since, ...filters }: AuditFilters, now = Date.now()): ListAuditQuery {
  const from = since ?? (range === undefined ? undefined : new Date(startOf(range, now)).toISOString());
  return { ...filters, ...(from !== undefined && { since: from }) };
}

/**
 * What a person types: `by:` names an actor, `since:` and `until:` a time, and all else is a target. An empty answer means that a time
 * cannot be read.
 */
export function searchOf(typed: string): SearchValues {
  const [, name = "", value = ""] = /^(by|since|until):\s*(.+)$/i.exec(typed) ?? [];
  switch (name.toLowerCase()) {
    case "by":
      return { actor: value };
    case "since":
    case "until": {
      const time = readTime(value);
      return time === undefined ? {} : { [name.toLowerCase()]: time, range: undefined };
    }
    default:
      return { target: typed, target_kind: undefined };
  }
}

/** `nameOfTarget` comes from the entries found: an id says nothing to a person. */
export function tokensOf(filters: AuditFilters, nameOfTarget: string | undefined): FilterToken[] {
  const { target, target_kind, since, until } = filters;
  const kind = target_kind === undefined ? "about" : kindWords[target_kind];
  const named: [string, string, string | undefined][] = [
    ["target", kind, target === undefined ? target_kind && "all" : (nameOfTarget ?? target)],
    ["since", "since", since && formatDateTime(Date.parse(since))],
    ["until", "until", until && formatDateTime(Date.parse(until))],
  ];
  return named.flatMap(([key, name, value]) => (value === undefined ? [] : [{ key, name, value }]));
}

/** "No entry about web shop by ada@fernhill.example in the last 7 days" */
export function describeSearch(filters: AuditFilters): string {
  const { actor, action, target, target_kind, range, since, until } = filters;
  const words = [
    action === undefined ? "No entry" : `No entry “${wordsOf(action).title}”`,
    target === undefined && target_kind === undefined
      ? ""
      : `about ${[target_kind === undefined ? "" : target_kind === "user" ? "the log-ins of" : `the ${kindWords[target_kind]}`, target].filter((word) => word !== "" && word !== undefined).join(" ")}`,
    actor === undefined ? "" : `by ${actor}`,
    range === undefined ? "" : range === "today" ? "today" : `in the ${ranges[range].label.toLowerCase()}`,
    since === undefined ? "" : `since ${formatDateTime(Date.parse(since))}`,
    until === undefined ? "" : `until ${formatDateTime(Date.parse(until))}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}
