import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { session } from "./api/session.ts";
import { meQuery } from "./api/use-me.ts";
import { NotFound } from "./frame/not-found.tsx";
import { PageError } from "./frame/page-error.tsx";
import { parseSearch, type SearchValues, stringifySearch } from "./frame/search-state.ts";
import { Shell } from "./frame/shell.tsx";
import { OverviewScreen } from "./screens/overview/overview-screen.tsx";

interface Context {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  validateSearch: (search: SearchValues) => search,
  search: { middlewares: [retainSearchParams(["mode"])] },
  notFoundComponent: NotFound,
  errorComponent: PageError,
});

function requireSession({ pathname, href }: { pathname: string; href: string }): void {
  if (session.state !== "none") return;
  throw redirect({ to: "/log-in", search: pathname === "/" ? {} : { to: href }, replace: true });
}

const inside = createRoute({
  id: "inside",
  getParentRoute: () => root,
  component: Shell,
  errorComponent: PageError,
  beforeLoad: async ({ location, context }) => {
    await session.token();
    requireSession(location);
    await context.queryClient.ensureQueryData(meQuery);
    requireSession(location);
  },
});

const page = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ path, getParentRoute: () => inside, component });
const openPage = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ path, getParentRoute: () => root, component });

const routes = [
  inside.addChildren([
    // Not lazy: it is the first page that most people open.
    page("/", OverviewScreen),
    page(
      "/activity",
      lazyRouteComponent(() => import("./screens/activity/activity-screen.tsx"), "ActivityScreen"),
    ),
    page(
      "/sends/$id",
      lazyRouteComponent(() => import("./screens/send/send-screen.tsx"), "SendScreen"),
    ),
    page(
      "/domains",
      lazyRouteComponent(() => import("./screens/domains/domains-screen.tsx"), "DomainsScreen"),
    ),
    page(
      "/domains/$id",
      lazyRouteComponent(() => import("./screens/domain/domain-screen.tsx"), "DomainScreen"),
    ),
    page(
      "/suppressions",
      lazyRouteComponent(() => import("./screens/suppressions/suppressions-screen.tsx"), "SuppressionsScreen"),
    ),
    page(
      "/keys",
      lazyRouteComponent(() => import("./screens/keys/keys-screen.tsx"), "KeysScreen"),
    ),
    page(
      "/webhooks",
      lazyRouteComponent(() => import("./screens/webhooks/webhooks-screen.tsx"), "WebhooksScreen"),
    ),
    page(
      "/webhooks/$id",
      lazyRouteComponent(() => import("./screens/webhook/webhook-screen.tsx"), "WebhookScreen"),
    ),
    page(
      "/webhooks/$id/deliveries/$deliveryId",
      lazyRouteComponent(() => import("./screens/delivery/delivery-screen.tsx"), "DeliveryScreen"),
    ),
    page(
      "/requests",
      lazyRouteComponent(() => import("./screens/requests/requests-screen.tsx"), "RequestsScreen"),
    ),
    page(
      "/usage",
      lazyRouteComponent(() => import("./screens/usage/usage-screen.tsx"), "UsageScreen"),
    ),
    page(
      "/team",
      lazyRouteComponent(() => import("./screens/team/team-screen.tsx"), "TeamScreen"),
    ),
    page(
      "/audit",
      lazyRouteComponent(() => import("./screens/audit/audit-screen.tsx"), "AuditScreen"),
    ),
    page(
      "/operator/status",
      lazyRouteComponent(() => import("./screens/operator/status/status-screen.tsx"), "StatusScreen"),
    ),
    page(
      "/operator/accounts",
      lazyRouteComponent(() => import("./screens/operator/accounts/accounts-screen.tsx"), "AccountsScreen"),
    ),
    page(
      "/operator/accounts/$id",
      lazyRouteComponent(() => import("./screens/operator/account/account-screen.tsx"), "AccountScreen"),
    ),
    page(
      "/operator/queue",
      lazyRouteComponent(() => import("./screens/operator/queue/queue-screen.tsx"), "QueueScreen"),
    ),
    page(
      "/operator/processes",
      lazyRouteComponent(() => import("./screens/operator/processes/processes-screen.tsx"), "ProcessesScreen"),
    ),
    page(
      "/operator/quarantine",
      lazyRouteComponent(() => import("./screens/operator/quarantine/quarantine-screen.tsx"), "QuarantineScreen"),
    ),
    page(
      "/operator/ses",
      lazyRouteComponent(() => import("./screens/operator/ses/ses-screen.tsx"), "SesScreen"),
    ),
    page(
      "/operator/storage",
      lazyRouteComponent(() => import("./screens/operator/storage/storage-screen.tsx"), "StorageScreen"),
    ),
    page(
      "/operator/runbook",
      lazyRouteComponent(() => import("./screens/operator/runbook/runbook-screen.tsx"), "RunbookScreen"),
    ),
    page(
      "/profile",
      lazyRouteComponent(() => import("./screens/profile/profile-screen.tsx"), "ProfileScreen"),
    ),
  ]),
  openPage(
    "/log-in",
    lazyRouteComponent(() => import("./screens/log-in/log-in-screen.tsx"), "LogInScreen"),
  ),
  openPage(
    "/reset-password",
    lazyRouteComponent(() => import("./screens/reset-password/reset-password-screen.tsx"), "ResetPasswordScreen"),
  ),
  openPage(
    "/invitation",
    lazyRouteComponent(() => import("./screens/invitation/invitation-screen.tsx"), "InvitationScreen"),
  ),
];

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: root.addChildren(routes),
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
