import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query-client.ts";
import { session } from "./api/session.ts";
import { followOtherTabs } from "./frame/follow-other-tabs.ts";
import { parseSearch } from "./frame/search-state.ts";
import { createConsoleRouter } from "./router.tsx";
import { Theme } from "./theme/theme-provider.tsx";

// The session is refreshed while the page's own files still load. The router waits for it and reports a failure.
session.token().catch(() => undefined);

const queryClient = createQueryClient();
// The first page starts its requests together with the frame's, not after them.
if (location.pathname === "/" && !location.hash.includes("=")) {
  import("./screens/overview/overview-screen.tsx")
    .then(({ preload }) => preload(queryClient, parseSearch(location.search)))
    .catch(() => undefined);
}
const router = createConsoleRouter(queryClient);
followOtherTabs();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");
createRoot(root).render(
  <Theme>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </Theme>,
);
