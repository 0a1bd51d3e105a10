import {
  type Icon,
  IconAlertTriangle,
  IconBook,
  IconDatabase,
  IconGauge,
  IconHeartbeat,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconListSearch,
  IconMailOff,
  IconSend,
  IconServer,
  IconStack2,
  IconUserCircle,
  IconUsers,
  IconWebhook,
  IconWorld,
} from "@tabler/icons-react";

export interface Page {
  path:
    | "/"
    | "/activity"
    | "/domains"
    | "/suppressions"
    | "/keys"
    | "/webhooks"
    | "/requests"
    | "/usage"
    | "/team"
    | "/audit"
    | "/profile"
    | `/operator/${"status" | "accounts" | "queue" | "processes" | "quarantine" | "ses" | "storage" | "runbook"}`;
  name: string;
  icon: Icon;
  /** What a person must be allowed to do to see the page in the list; the page itself explains it to others. */
  needs?: "write" | "manage";
}

/** The sidebar and the palette list the same pages. */
export const groups: { heading: string | undefined; pages: Page[] }[] = [
  {
    heading: undefined,
    pages: [
      { path: "/", name: "Overview", icon: IconLayoutDashboard },
      { path: "/activity", name: "Activity", icon: IconListDetails },
      { path: "/domains", name: "Domains", icon: IconWorld },
      { path: "/suppressions", name: "Suppressions", icon: IconMailOff },
    ],
  },
  {
    heading: "Develop",
    pages: [
      { path: "/keys", name: "API keys", icon: IconKey },
      { path: "/webhooks", name: "Webhooks", icon: IconWebhook },
      { path: "/requests", name: "Requests", icon: IconListSearch, needs: "write" },
      { path: "/usage", name: "Usage and limits", icon: IconGauge },
    ],
  },
  {
    heading: "Account",
    pages: [
      { path: "/team", name: "Team", icon: IconUsers, needs: "manage" },
      { path: "/audit", name: "Audit", icon: IconHistory, needs: "manage" },
    ],
  },
];

/** Only for people with the flag of an operator. */
export const operatorGroup: { heading: string; pages: Page[] } = {
  heading: "Operator",
  pages: [
    { path: "/operator/status", name: "Status", icon: IconHeartbeat },
    { path: "/operator/accounts", name: "Accounts", icon: IconUsers },
    { path: "/operator/queue", name: "Queue", icon: IconStack2 },
    { path: "/operator/processes", name: "Processes", icon: IconServer },
    { path: "/operator/quarantine", name: "Quarantine", icon: IconAlertTriangle },
    { path: "/operator/ses", name: "SES", icon: IconSend },
    { path: "/operator/storage", name: "Storage", icon: IconDatabase },
    { path: "/operator/runbook", name: "Runbook", icon: IconBook },
  ],
};

export const profilePage: Page = { path: "/profile", name: "Profile", icon: IconUserCircle };
export const allPages: Page[] = [...groups.flatMap(({ pages }) => pages), profilePage];
