import type { ListWebhookDeliveriesQuery, WebhookDelivery } from "../../api/api-types.ts";
import type { SearchValues } from "../../frame/search-state.ts";
import { deliveryStates } from "../../parts/delivery-words.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import { isNotificationType, type NotificationType } from "../../parts/webhook-types.ts";

const hour = 3_600_000;

export const ranges = {
  "1h": "Last hour",
  today: "Today",
  yesterday: "Yesterday",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
} as const;

export type RangeName = keyof typeof ranges;

/** The filters of the list, as the address of the page holds them. */
export interface DeliveryFilters {
  state: WebhookDelivery["state"] | undefined;
  type: NotificationType | undefined;
  range: RangeName | undefined;
  since: string | undefined;
  until: string | undefined;
  sendId: string | undefined;
}

/** A value that the API would refuse counts as no filter: an address may be typed by hand. */
export function readFilters({ state, type, range, since, until, send }: SearchValues): DeliveryFilters {
  return {
    state:
      state !== undefined && Object.hasOwn(deliveryStates, state) ? (state as DeliveryFilters["state"]) : undefined,
    type: isNotificationType(type) ? type : undefined,
    range: isRange(range) ? range : undefined,
    since: readTime(since),
    until: readTime(until),
    sendId: send !== undefined && /^[0-9a-f-]{36}$/i.test(send) ? send : undefined,
  };
}

export function isRange(text: string | undefined): text is RangeName {
  return text !== undefined && Object.hasOwn(ranges, text);
}

function readTime(value: string | undefined): string | undefined {
  const at = Date.parse(value ?? "");
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

export function hasFilter(filters: DeliveryFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

export function toQuery(filters: DeliveryFilters, now = Date.now()): ListWebhookDeliveriesQuery {
  const { state, type, sendId } = filters;
  const { from, to } = timesOf(filters, now);
  return {
    ...(state !== undefined && { state }),
    ...(type !== undefined && { type }),
    ...(sendId !== undefined && { send_id: sendId }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  };
}

type Times = { from: string | undefined; to: string | undefined };

function timesOf({ range, since, until }: DeliveryFilters, now: number): Times {
  if (since !== undefined || until !== undefined || range === undefined) return { from: since, to: until };
  return rangeTimes(range, now);
}

/** Days begin at midnight in the zone of the browser. */
export function rangeTimes(range: RangeName, now: number): { from: string; to: string | undefined } {
  const iso = (ms: number) => new Date(ms).toISOString();
  switch (range) {
    case "1h":
      return { from: iso(now - hour), to: undefined };
    case "24h":
      return { from: iso(now - 24 * hour), to: undefined };
    case "7d":
      return { from: iso(now - 7 * 24 * hour), to: undefined };
    case "today":
      return { from: iso(midnight(now, 0)), to: undefined };
    case "yesterday":
      return { from: iso(midnight(now, -1)), to: iso(midnight(now, 0)) };
  }
}

/** Not 24 hours before the next one: a day with a change of the clock has 23 or 25. */
function midnight(now: number, days: number): number {
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).getTime();
}

/** "No failed delivery of send.bounced yesterday" */
export function describeFilters({ state, type, range, since, until, sendId }: DeliveryFilters): string {
  const words = [
    "No",
    state === undefined ? "" : deliveryStates[state].toLowerCase(),
    "delivery",
    type === undefined ? "" : `of ${type}`,
    sendId === undefined ? "" : "about this send",
    since !== undefined || until !== undefined || range === undefined ? "" : rangeWords[range],
    since === undefined ? "" : `since ${formatDateTime(Date.parse(since))}`,
    until === undefined ? "" : `until ${formatDateTime(Date.parse(until))}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

const rangeWords: Record<RangeName, string> = {
  "1h": "in the last hour",
  today: "today",
  yesterday: "yesterday",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
};
