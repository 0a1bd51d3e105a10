import { type RefObject, useRef } from "react";
import { useHotkey } from "./use-hotkey.ts";

/**
 * j and k move the focus between the links of the rows, so that Enter and screen readers need nothing more.
 * c presses the copy button of the row; Escape leaves the table.
 */
export function useRowKeys(area: RefObject<HTMLElement | null>, isActive: boolean): void {
  const last = useRef(-1);
  const links = () => [...(area.current?.querySelectorAll<HTMLAnchorElement>("a[data-row-link]") ?? [])];
  function focusedRow() {
    return document.activeElement?.closest("[data-row]") ?? null;
  }
  function move(step: number) {
    const all = links();
    const row = focusedRow();
    const current = row === null ? -1 : all.findIndex((link) => row.contains(link));
    const from = current === -1 ? last.current : current;
    const target = all[Math.max(0, Math.min(all.length - 1, from + step))];
    if (target === undefined) return;
    last.current = all.indexOf(target);
    target.focus({ preventScroll: true });
    target.closest("[data-row]")?.scrollIntoView({ block: "nearest" });
  }
  useHotkey("j", () => move(1), isActive);
  useHotkey("k", () => move(-1), isActive);
  useHotkey("c", () => focusedRow()?.querySelector<HTMLButtonElement>("[data-copy-id] button")?.click(), isActive);
  useHotkey(
    "Escape",
    () => {
      if (!area.current?.contains(document.activeElement)) return;
      last.current = -1;
      (document.activeElement as HTMLElement).blur();
    },
    isActive,
  );
}
