import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findViolations } from "../test/import-rules.ts";

test("imports only go down, and only the right rooms know Fastify, AWS and the environment", () => {
  expect(findViolations(fileURLToPath(new URL(".", import.meta.url)))).toEqual([]);
});

const planted = [
  ["an upward import", "db/pool.ts", 'import { serve } from "../api/server.ts";'],
  ["an import of a neighbour", "accounts/create.ts", 'export { hash } from "../api-keys/api-key.ts";'],
  ["an import of the entry points", "api/server.ts", 'const main = await import("../processes/api.ts");'],
  ["ground that knows a room", "errors.ts", 'import type { Database } from "./db/database.ts";'],
  ["Fastify outside api/", "sends/accept-send.ts", 'import { fastify } from "fastify";'],
  ["a Fastify plugin outside api/", "processes/api.ts", 'import swagger from "@fastify/swagger";'],
  ["AWS outside provider/ses/", "provider/sandbox/send.ts", 'import { SESv2Client } from "@aws-sdk/client-sesv2";'],
  ["a room without a floor", "helpers/x.ts", 'import { AppError } from "../errors.ts";'],
  ["a reach outside src", "db/pool.ts", 'import { anAccount } from "../../test/builders.ts";'],
  ["a route with the database of its authenticator", "api/v1/a-routes.ts", "await list(authenticator.db, id);"],
  [
    "a route that takes a database from its deps",
    "api/v1/a-routes.ts",
    "function routes(app, { db, log }: ApiDeps) {}",
  ],
  ["a route that takes one from a deps", "api/v1/a-routes.ts", "const { db } = acceptDeps;"],
  ["a route that knows the database", "api/v1/a-routes.ts", 'import type { Database } from "../../db/database.ts";'],
  ["a change of sends that does not say so", "sends/a-store.ts", "const text = `update sends set status = 'sent'`;"],
  ["a second reader of the environment", "api/server.ts", "const port = process.env.PORT;"],
] as const;

test.for(planted)("%s is found", ([, file, source]) => {
  expect(findViolations(aSourceFolder({ [file]: source }))).toHaveLength(1);
});

test("what the order allows is not reported", () => {
  const folder = aSourceFolder({
    "api/server.ts": 'import fastify from "fastify";\nimport { x } from "../sends/accept-send.ts";',
    "provider/ses/send.ts": 'import { SESv2Client } from "@aws-sdk/client-sesv2";\nimport { y } from "./classify.ts";',
    "api/v1/a-routes.ts": "const { db, mode } = callerOf(request);\nawait list(callerOf(request).db); find(caller.db);",
    "api/server.test.ts": 'import { anAccount } from "../../test/builders.ts";',
  });
  expect(findViolations(folder)).toEqual([]);
});

function aSourceFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-architecture-"));
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  }
  return folder;
}
