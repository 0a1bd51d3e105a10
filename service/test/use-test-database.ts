import { afterAll, beforeAll, inject } from "vitest";
import type { Database } from "../src/db/database.ts";
import { endDatabase } from "./ended-databases.ts";
import { copyTemplate, openTestDatabase } from "./template-database.ts";

/** A migrated database for the calling test file alone. */
export function useTestDatabase(): { readonly db: Database; readonly url: string } {
  let opened: { db: Database; name: string; url: string } | undefined;

  beforeAll(async () => {
    const copy = await copyTemplate(inject("serverUrl"));
    opened = { ...copy, db: openTestDatabase(copy.url) };
  });

  afterAll(async () => {
    if (opened === undefined) return;
    await opened.db.close();
    await endDatabase(inject("serverUrl"), opened.name);
  });

  const current = () => {
    if (opened === undefined) throw new Error("the test database exists only inside tests");
    return opened;
  };
  return {
    get db() {
      return current().db;
    },
    get url() {
      return current().url;
    },
  };
}
