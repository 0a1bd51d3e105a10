import type { TestProject } from "vitest/node";
import { embeddedBinaries } from "../src/dev/postgres/embedded-postgres.ts";
import { startDroppingDatabases } from "./ended-databases.ts";
import { startMemoryPostgres } from "./private-postgres.ts";
import { createTemplate } from "./template-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    serverUrl: string;
  }
}

/** `TEST_DATABASE_URL` names a server to use instead of a private PostgreSQL 18. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startMemoryPostgres(await embeddedBinaries()) : undefined;
  const serverUrl = server?.url ?? given ?? "";
  await createTemplate(serverUrl);
  project.provide("serverUrl", serverUrl);
  const drops = startDroppingDatabases(serverUrl);
  return async () => {
    await drops.stop();
    await server?.stop();
  };
}
