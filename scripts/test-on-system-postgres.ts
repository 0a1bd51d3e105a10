import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startMemoryPostgres } from "../service/test/private-postgres.ts";

/** Runs the tests of the service on a PostgreSQL version that Debian or Ubuntu installed. Only the service uses PostgreSQL. */
const [version = "15", ...rest] = process.argv.slice(2);
const folder = `/usr/lib/postgresql/${version}/bin`;

if (!existsSync(join(folder, "postgres"))) {
  console.error(`PostgreSQL ${version} is not installed: apt-get install postgresql-${version}`);
  console.error("On other systems, start a server and run: TEST_DATABASE_URL=postgres://… npm test");
  process.exit(1);
}

/**
 * Tests that another version of PostgreSQL cannot change:
 *
 * - `postern dev` starts its own PostgreSQL.
 * - Commands and processes run statements that the tests of their folders repeat. Still here: creating and migrating a database.
 * - The loops, and what starts PostgreSQL itself: several hosts, TLS, PgBouncer, the installation guide.
 * - The tests directly in `service/src` concern settings, logs and texts; those of `api/http`, `api/auth`, `oidc` and `provider` the requests
 *   to and from others.
 * - The proofs run every statement at its small size once more, which takes as long as the tests.
 */
const leftOut = [
  "service/src/dev/**",
  "service/src/cli/*/**",
  "service/src/cli/!(create-database|postern-migrate).test.ts",
  "service/src/processes/**",
  "service/src/loops/**",
  "service/src/db/pooler/**",
  "service/src/db/choose-host.test.ts",
  "service/test/install-guide.test.ts",
  "service/src/*.test.ts",
  "service/src/api/http/!(exports)/**",
  "service/src/api/http/*.test.ts",
  "service/src/api/auth/**",
  "service/src/api/v1/auth/**",
  "service/src/oidc/**",
  "service/src/provider/**",
  "**/proofs/**",
].flatMap((files) => ["--exclude", files]);
const testArgs = rest.length > 0 ? rest : ["service/", ...leftOut];
const binaries = { postgres: join(folder, "postgres"), initdb: join(folder, "initdb") };
const server = await startMemoryPostgres(binaries);
// spawnSync would block this process, which must keep reading the server's log: the server stops when the pipe is full.
const tests = spawn("npx", ["--no-install", "vitest", "run", ...testArgs], {
  stdio: "inherit",
  env: { ...process.env, TEST_DATABASE_URL: server.url },
});
const [status] = await once(tests, "exit");
await server.stop();
process.exitCode = typeof status === "number" ? status : 1;
