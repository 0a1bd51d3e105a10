import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findImportCircles } from "../test/import-circles.ts";
import { findViolations } from "../test/import-rules.ts";

describe("import rules", () => {
  test("folders import only from lower layers, and only the right ones use Fastify, AWS and the environment", () => {
    expect(findViolations(fileURLToPath(new URL(".", import.meta.url)))).toEqual([]);
  });

  const planted = [
    ["an import from a higher layer", "db/pool.ts", 'import { serve } from "../api/server.ts";'],
    ["an import from the same layer", "accounts/create.ts", 'export { hash } from "../api-keys/api-key.ts";'],
    ["an import of an entry point", "api/server.ts", 'const main = await import("../processes/api.ts");'],
    ["a file in src/ that imports a folder", "errors.ts", 'import type { Database } from "./db/database.ts";'],
    ["Fastify outside api/", "sends/accept-send.ts", 'import { fastify } from "fastify";'],
    ["a Fastify plugin outside api/", "processes/api.ts", 'import swagger from "@fastify/swagger";'],
    ["AWS outside provider/ses/", "provider/sandbox/send.ts", 'import { SESv2Client } from "@aws-sdk/client-sesv2";'],
    ["a folder without a layer", "helpers/x.ts", 'import { AppError } from "../errors.ts";'],
    ["an import from outside src/", "db/pool.ts", 'import { anAccount } from "../../test/builders.ts";'],
    ["a route with the database of its authenticator", "api/v1/a-routes.ts", "await list(authenticator.db, id);"],
    ["a route with a database of ApiDeps", "api/v1/a-routes.ts", "function routes(app, { db, log }: ApiDeps) {}"],
    ["a route with a database of other dependencies", "api/v1/a-routes.ts", "const { db } = acceptDeps;"],
    ["a route that imports db/", "api/v1/a-routes.ts", 'import type { Database } from "../../db/database.ts";'],
    ["a route that reaches all accounts", "api/v1/a-routes.ts", 'import { x } from "../auth/require-operator.ts";'],
    [
      "a route of log-in that reaches all accounts",
      "api/v1/auth/a-routes.ts",
      'import { x } from "../../auth/require-operator.ts";',
    ],
    ["an operator's route past its check", "api/v1/operator/a-routes.ts", "await list(authenticator.db, id);"],
    ["an unmarked update of sends", "sends/a-store.ts", "const text = `update sends set status = 'sent'`;"],
    ["a second file that reads the environment", "api/server.ts", "const port = process.env.PORT;"],
  ] as const;

  test.for(planted)("%s is a violation", ([, file, source]) => {
    expect(findViolations(aSourceFolder({ [file]: source }))).toHaveLength(1);
  });

  test("allowed imports are not violations", () => {
    const folder = aSourceFolder({
      "api/server.ts": 'import fastify from "fastify";\nimport { x } from "../sends/accept-send.ts";',
      "provider/ses/send.ts":
        'import { SESv2Client } from "@aws-sdk/client-sesv2";\nimport { y } from "./classify.ts";',
      "api/v1/a-routes.ts":
        "const { db, mode } = callerOf(request);\nawait list(callerOf(request).db); find(caller.db);",
      "api/v1/operator/a-routes.ts":
        'import { x } from "../../auth/require-operator.ts";\nawait list(operatorOf(request).db, id);',
      "api/server.test.ts": 'import { anAccount } from "../../test/builders.ts";',
    });
    expect(findViolations(folder)).toEqual([]);
  });
});

describe("import circles", () => {
  const packages = ["service", "ses-simulator", "sdk", "acceptance", "bench", "chaos", "deploy", "scripts"];

  test("the repository has none", () => {
    expect(findImportCircles(fileURLToPath(new URL("../..", import.meta.url)), packages)).toEqual([]);
  });

  test("a circle of two and of three files is found, also through `import type`, and a chain is not", () => {
    const folder = aSourceFolder({
      "a.ts": 'import { b } from "./deep/b.ts";',
      "deep/b.ts": 'import type { C } from "../c.ts";',
      "c.ts": 'export { a } from "./a.ts";',
      "d.ts": 'import { e } from "./e.ts";\nimport { a } from "./a.ts";',
      "e.ts": 'const d = await import("./d.ts");',
      "f.ts": 'import { g } from "./g.ts";\nimport { a } from "./a.ts";',
      "g.ts": 'import { a } from "./a.ts";',
    });
    expect(findImportCircles(folder).toSorted((one, other) => one.join().localeCompare(other.join()))).toEqual([
      ["a.ts", "c.ts", "deep/b.ts"],
      ["d.ts", "e.ts"],
    ]);
  });
});

function aSourceFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-architecture-"));
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  }
  return folder;
}
