import {
  type Icon,
  IconGauge,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconMailOff,
  IconUserCircle,
  IconWorld,
} from "@tabler/icons-react";

export interface Page {
  path: "/" | "/activity" | "/domains" | "/suppressions" | "/keys" | "/usage" | "/profile";
  name: string;
  icon: Icon;
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
      { path: "/usage", name: "Usage and limits", icon: IconGauge },
    ],
  },
];

export const profilePage: Page = { path: "/profile", name: "Profile", icon: IconUserCircle };
export const allPages: Page[] = [...groups.flatMap(({ pages }) => pages), profilePage];
