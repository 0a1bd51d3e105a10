import { type SearchValues, stringifySearch, useMode } from "../frame/search-state.ts";

/** Paths of the console that stay in the current mode: `/domains` becomes `/domains?mode=test`. */
export function useHref(): (path: string, search?: SearchValues) => string {
  const mode = useMode();
  return (path, search = {}) => path + stringifySearch({ mode: mode === "test" ? "test" : undefined, ...search });
}
