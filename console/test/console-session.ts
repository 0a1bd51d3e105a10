import type { Browser, Page } from "playwright-core";
import type { Database } from "../../service/src/db/database.ts";
import { openTestDatabase } from "../../service/test/template-database.ts";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { launchBrowser, logIn, openPages, type PageOptions } from "./browser-pages.ts";
import type { ConsoleCell } from "./console-cell.ts";
import { createPerson, type Person, type PersonOptions } from "./person.ts";
import { type SeededMail, type SeedOptions, seedMail, verifyDomain } from "./seed-mail.ts";
import { type SimulatedOutcome, simulateOutcome } from "./simulated-outcomes.ts";

/** A browser and everything that prepares data, for one cell. Tests, pictures and proofs use the same. */
export interface ConsoleSession {
  browser: Browser;
  /** Without a slash at the end. */
  url: string;
  /** The database of the cell, for states that no request can make. */
  db: Database;
  newPage(options?: PageOptions): Promise<Page>;
  aPerson(options?: PersonOptions): Promise<Person>;
  /** Stores the cookie of a browser session. The next `page.goto` is logged in. */
  logIn(page: Page, person: Person): Promise<void>;
  api(person: Person): ApiClient;
  seedMail(person: Person, options?: SeedOptions): Promise<SeededMail>;
  aVerifiedDomain(person: Person, domain: string): Promise<void>;
  /** Live mail to this recipient ends so from now on, for every account of the cell. */
  simulateOutcome(recipient: string, outcome: SimulatedOutcome): Promise<void>;
  /** Closes all pages, and returns what they did wrong: CSP violations, uncaught errors, calls of foreign hosts. */
  closePages(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openConsole({ url, simulatorUrl, databaseUrl }: ConsoleCell): Promise<ConsoleSession> {
  const browser = await launchBrowser();
  const db = openTestDatabase(databaseUrl);
  const pages = openPages(browser, url);
  const clients = new Map<string, ApiClient>();
  const api = (person: Person) => {
    const client = clients.get(person.id) ?? createApiClient(url, person);
    clients.set(person.id, client);
    return client;
  };
  return {
    browser,
    url,
    db,
    newPage: pages.newPage,
    aPerson: (options) => createPerson(db, options),
    logIn: (page, person) => logIn(page, person, url),
    api,
    seedMail: (person, options) => seedMail({ owner: api(person.owner), simulatorUrl }, options),
    aVerifiedDomain: (person, domain) => verifyDomain(api(person.owner), domain),
    simulateOutcome: (recipient, outcome) => simulateOutcome(simulatorUrl, recipient, outcome),
    closePages: pages.close,
    async close() {
      await pages.close();
      await browser.close();
      await db.close();
    },
  };
}
