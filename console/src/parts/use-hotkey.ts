import { useEffect, useRef } from "react";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable=true]") !== null;
}

/**
 * Runs on a key pressed outside of fields and dialogs. A key is a name of KeyboardEvent.key ("j", "/", "Escape"),
 * or "mod+k" for Ctrl or Command; keys with "mod" also work in fields.
 */
export function useHotkey(key: string, run: (event: KeyboardEvent) => void, isActive = true): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!isActive) return;
    const needsMod = key.startsWith("mod+");
    const name = needsMod ? key.slice(4) : key;
    function handle(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      if (event.key.toLowerCase() !== name.toLowerCase()) return;
      if (needsMod !== (event.ctrlKey || event.metaKey)) return;
      if (!needsMod && isTyping(event.target)) return;
      if (!needsMod && document.querySelector("[role=dialog][aria-modal=true]") !== null) return;
      latest.current(event);
    }
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, [key, isActive]);
}
