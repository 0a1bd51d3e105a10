import type { Icon } from "@tabler/icons-react";
import type { Page } from "./pages.ts";

export interface JumpTarget {
  key: string;
  path: string;
  search?: Record<string, string>;
  label: string;
  note: string;
  icon?: Icon;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const address = /^[^\s@]+@[^\s@]+$/;
/** As SES writes them: 0102019a8c41e7b2-6d0f41c7-…-000000, and shorter in simulations. */
const sesId = /^[0-9a-z]{8,}-[0-9a-z-]{8,}$/i;

/** The first one is what Enter opens. */
export function jumpTargets(text: string, pages: readonly Page[]): JumpTarget[] {
  const wanted = text.trim();
  const found: JumpTarget[] = [];
  if (uuid.test(wanted)) {
    found.push({ key: "send", path: `/sends/${wanted}`, label: wanted, note: "Open this send" });
    if (pages.some(({ path }) => path === "/requests")) {
      const search = { request_id: wanted };
      found.push({ key: "request", path: "/requests", search, label: wanted, note: "Find this request" });
    }
  } else if (sesId.test(wanted)) {
    const search = { provider_message_id: wanted };
    found.push({ key: "ses", path: "/activity", search, label: wanted, note: "Find this SES id" });
  }
  if (address.test(wanted)) {
    const search = { recipient: wanted };
    found.push({ key: "recipient", path: "/activity", search, label: wanted, note: "Mail to this address" });
    found.push({
      key: "suppression",
      path: "/suppressions",
      search: { email: wanted },
      label: wanted,
      note: "Is it suppressed?",
    });
  }
  const lower = wanted.toLowerCase();
  for (const { path, name, icon } of pages) {
    if (name.toLowerCase().includes(lower)) found.push({ key: path, path, label: name, note: "Page", icon });
  }
  return found;
}
