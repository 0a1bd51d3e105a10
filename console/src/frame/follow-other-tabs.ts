import { session } from "../api/session.ts";
import { ownPath } from "./own-path.ts";

const entryPaths = ["/log-in", "/reset-password", "/invitation"];

/**
 * A log-out in one tab logs out all; after a log-in or a switch of the account every tab shows the same account. The page is loaded
 * anew, so that nothing of the session before stays on it.
 */
export function followOtherTabs(): void {
  session.subscribe((message) => {
    const { pathname, search } = location;
    if (message === "ended") {
      if (entryPaths.includes(pathname)) return;
      const to = pathname === "/" ? "" : `?${new URLSearchParams({ to: pathname + search })}`;
      location.replace(`/log-in${to}`);
    } else if (pathname === "/log-in") location.replace(ownPath(new URLSearchParams(search).get("to")));
    // An id in the address may be of the account before.
    else if (!entryPaths.includes(pathname)) location.replace(pathname.split("/").length > 2 ? "/" : pathname + search);
  });
}
