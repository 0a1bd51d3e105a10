import { useMay, useMe } from "../api/use-me.ts";
import { groups, operatorGroup } from "./pages.ts";

/** The pages that the person may use, as the sidebar and the palette list them. */
export function useListedGroups() {
  const may = useMay();
  const { is_operator } = useMe();
  const own = groups
    .map(({ heading, pages }) => ({ heading, pages: pages.filter(({ needs }) => needs === undefined || may[needs]) }))
    .filter(({ pages }) => pages.length > 0);
  return is_operator ? [...own, operatorGroup] : own;
}
