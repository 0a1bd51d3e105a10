import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let count = 0;
let timer: ReturnType<typeof setInterval> | undefined;

// One timer serves every relative time on the page.
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    count += 1;
    for (const each of listeners) each();
  }, 5000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Renders again every 5 s. */
export function useTick(): void {
  useSyncExternalStore(subscribe, () => count);
}
