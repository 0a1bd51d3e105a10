import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** What the query of an address may hold. All values are text: `662E41` is an id, not a number. */
export type SearchValues = Record<string, string | undefined>;

export function parseSearch(text: string): SearchValues {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * The state of a page that a person would share: filters, range, mode. A change of a filter starts at the newest entries again, so it
 * removes the cursor, unless the change sets one.
 */
export function useSearchState(): [SearchValues, (changes: SearchValues, options?: { replace?: boolean }) => void] {
  const search: SearchValues = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: SearchValues, { replace = false }: { replace?: boolean } = {}) => {
      void navigate({
        to: ".",
        replace,
        search: (current: SearchValues) => ({ ...current, before: undefined, ...changes }),
      });
    },
    [navigate],
  );
  return [search, change];
}

export type Mode = "live" | "test";

/** Live mail, unless the address says `mode=test`. */
export function useMode(): Mode {
  const { mode }: SearchValues = useSearch({ strict: false });
  return mode === "test" ? "test" : "live";
}
