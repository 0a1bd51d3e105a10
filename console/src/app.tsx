import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query-client.ts";
import { followOtherTabs } from "./frame/follow-other-tabs.ts";
import { parseSearch } from "./frame/search-state.ts";
import { createConsoleRouter } from "./router.tsx";
import { preload } from "./screens/overview/overview-queries.ts";
import { Theme } from "./theme/theme-provider.tsx";

const queryClient = createQueryClient();
// The first page starts its requests together with the frame's, not after them.
if (location.pathname === "/" && !location.hash.includes("=")) {
  preload(queryClient, parseSearch(location.search));
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
