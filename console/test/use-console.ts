import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, vi } from "vitest";
import { executablePath } from "./browser-pages.ts";
import type { ConsoleCell } from "./console-cell.ts";
import { type ConsoleSession, openConsole } from "./console-session.ts";

/** The first file of a run also waits for the build and the start of the cell. */
const maxStartMs = 240_000;
/** Two browsers, a cell and other tests share two cores in CI. */
const maxTestMs = 120_000;

/**
 * A browser on the cell that all console tests of the run share. Each test makes its own persons. After each test all pages are closed,
 * and the test fails when one of them broke its CSP, threw an error or called a foreign host. Without Chromium the tests are skipped.
 */
export function useConsole(): Omit<ConsoleSession, "close" | "closePages"> {
  let session: ConsoleSession | undefined;
  vi.setConfig({ testTimeout: maxTestMs });
  const hasBrowser = existsSync(executablePath);
  beforeAll(async () => {
    if (!hasBrowser) return;
    const answer = await fetch(inject("consoleCellUrl"));
    if (!answer.ok) throw new Error(await answer.text());
    session = await openConsole((await answer.json()) as ConsoleCell);
  }, maxStartMs);

  beforeEach(({ skip }) => skip(!hasBrowser, "Chromium is not installed"));

  afterEach(async () => {
    expect((await session?.closePages()) ?? [], "what the pages of this test did wrong").toEqual([]);
  });

  afterAll(() => session?.close());

  const current = () => {
    if (session === undefined) throw new Error("the console exists only inside tests");
    return session;
  };
  return {
    get browser() {
      return current().browser;
    },
    get url() {
      return current().url;
    },
    get db() {
      return current().db;
    },
    newPage: (options) => current().newPage(options),
    aPerson: (options) => current().aPerson(options),
    logIn: (page, person) => current().logIn(page, person),
    api: (person) => current().api(person),
    seedMail: (person, options) => current().seedMail(person, options),
    aVerifiedDomain: (person, domain) => current().aVerifiedDomain(person, domain),
    simulateOutcome: (recipient, outcome) => current().simulateOutcome(recipient, outcome),
  };
}
