import { useEffect, useState } from "react";

/** Browsers offer the clipboard on HTTPS and localhost only; a console on plain HTTP copies through a field. */
async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return copyThroughField(value);
  }
}

function copyThroughField(value: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = value;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  // A dialog keeps the focus inside itself, so the field must be inside too.
  (before?.closest("[role=dialog]") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}

export type CopyState = "ready" | "copied" | "failed";

/** The state returns to "ready" after 1.5 s. */
export function useCopy(): { state: CopyState; copy: (value: string) => Promise<void> } {
  const [state, setState] = useState<CopyState>("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  return { state, copy: async (value) => setState((await copyText(value)) ? "copied" : "failed") };
}
