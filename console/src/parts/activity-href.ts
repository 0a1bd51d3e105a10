import type { Mode } from "../frame/search-state.ts";
import { isoHour } from "./usage-range.ts";

interface SendFilter {
  status?: string;
  domain?: string;
  tag?: string;
  from?: number;
  to?: number;
}

/** The list of sends behind a figure. */
export function activityHref({ status, domain, tag, from, to }: SendFilter, mode: Mode): string {
  return pageHref("/activity", {
    status,
    domain,
    tag,
    since: from === undefined ? undefined : isoHour(from),
    until: to === undefined ? undefined : isoHour(to),
    ...modeSearch(mode),
  });
}

export function pageHref(path: string, search: Record<string, string | undefined>): string {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

export function modeSearch(mode: Mode): { mode: string | undefined } {
  return { mode: mode === "test" ? "test" : undefined };
}
