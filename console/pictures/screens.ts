import type { Page } from "playwright-core";
import type { Person } from "../test/person.ts";
import type { PicturedData } from "./fernhill-books.ts";

export interface Screen {
  /** The name of the file, before the variant. */
  name: string;
  path: string | ((data: PicturedData) => string);
  /** Who looks at it. Undefined: nobody is logged in. */
  as: (data: PicturedData) => Person | undefined;
  /** Before the page is opened, such as blocking the API. */
  before?: (page: Page) => Promise<void>;
  /** After the page is opened, such as a key that opens a dialog. */
  after?: (page: Page) => Promise<void>;
  variants: readonly Variant[];
}

export interface Variant {
  scheme: "light" | "dark";
  width: 390 | 1440;
}

const light: Variant = { scheme: "light", width: 1440 };
const all: readonly Variant[] = [light, { scheme: "dark", width: 1440 }, { scheme: "light", width: 390 }];

type Path = Screen["path"];

/** Screens that show data of the account. Each has a picture of the filled, the empty and the failed state. */
const dataScreens: [name: string, path: Path][] = [
  // First, because each picture logs in, and the audit has an entry for it.
  ["audit", "/audit"],
  ["overview", "/"],
  ["activity", "/activity"],
  ["domains", "/domains"],
  ["suppressions", "/suppressions"],
  ["keys", "/keys"],
  ["webhooks", "/webhooks"],
  ["requests", "/requests"],
  ["usage", "/usage"],
  ["team", "/team"],
];

const operatorScreens: [name: string, path: Path][] = [
  ["operator-status", "/operator/status"],
  ["operator-accounts", "/operator/accounts"],
  ["operator-account", ({ harmfulId }) => `/operator/accounts/${harmfulId}`],
  ["operator-queue", "/operator/queue"],
  ["operator-processes", "/operator/processes"],
  ["operator-quarantine", "/operator/quarantine"],
  ["operator-ses", "/operator/ses"],
  ["operator-storage", "/operator/storage"],
  ["operator-runbook", "/operator/runbook"],
];

const filledScreens: [name: string, path: Path][] = [
  ...dataScreens,
  ["activity-address", ({ bouncedAddress }) => `/activity?recipient=${encodeURIComponent(bouncedAddress)}`],
  ["activity-test-mode", "/activity?mode=test"],
  ["send", ({ shippedId }) => `/sends/${shippedId}`],
  ["domain", ({ domainId }) => `/domains/${domainId}`],
  ["domain-pending", ({ pendingDomainId }) => `/domains/${pendingDomainId}`],
  ["webhook", ({ webhookId }) => `/webhooks/${webhookId}`],
  ["delivery", ({ webhookId, deliveryId }) => `/webhooks/${webhookId}/deliveries/${deliveryId}`],
  ["profile", "/profile"],
];

const openScreens: [name: string, path: Path][] = [
  ["log-in", "/log-in"],
  ["reset-password", "/reset-password"],
  ["invitation", ({ invitationToken }) => `/invitation#token=${invitationToken}`],
];

const owner = ({ ada }: PicturedData) => ada;
const operator = ({ olga }: PicturedData) => olga;
const newcomer = ({ newcomer: person }: PicturedData) => person;

export const screens: Screen[] = [
  ...filledScreens.map(([name, path]): Screen => ({ name, path, as: owner, variants: all })),
  ...operatorScreens.map(([name, path]): Screen => ({ name, path, as: operator, variants: all })),
  ...openScreens.map(([name, path]): Screen => ({ name, path, as: () => undefined, variants: all })),
  { name: "palette", path: "/", as: owner, after: (page) => page.keyboard.press("Control+k"), variants: all },
  { name: "help", path: "/", as: owner, after: (page) => page.keyboard.press("?"), variants: all },
  ...dataScreens.map(([name, path]): Screen => ({ name: `${name}-empty`, path, as: newcomer, variants: [light] })),
  ...dataScreens.map(
    ([name, path]): Screen => ({
      name: `${name}-error`,
      path,
      as: owner,
      before: failDataRequests,
      after: waitForError,
      variants: [light],
    }),
  ),
];

/** The console asks twice more before it says that something failed. */
async function waitForError(page: Page): Promise<void> {
  await page.getByRole("alert").filter({ hasText: "The database does not answer." }).first().waitFor();
}

/** Only the session and the person are still answered. */
async function failDataRequests(page: Page): Promise<void> {
  const error = { code: "UNAVAILABLE", message: "The database does not answer.", request_id: "01a1e86b-fdf1-796d" };
  await page.route(
    ({ pathname }) => pathname.startsWith("/api/v1/") && !pathname.startsWith("/api/v1/auth/"),
    (route) => route.fulfill({ status: 503, json: { success: false, error } }),
  );
}
