import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { configProblems } from "../test/config-problems.ts";
import { makeServerData, type PrivatePostgres, startServerOn } from "../test/private-postgres.ts";
import { aFolder, runPostern } from "../test/run-postern.ts";
import { spawnPostern } from "../test/spawn-postern.ts";
import { openTestDatabase } from "../test/template-database.ts";
import { makeTestCa } from "../test/test-ca.ts";
import { anEnvironment, simulatorSettings } from "../test/test-config.ts";
import { readConfig } from "./config.ts";
import { applicationName } from "./db/code-range.ts";
import { embeddedBinaries } from "./dev/postgres/embedded-postgres.ts";

let server: PrivatePostgres;
let folder: string;
let ca: ReturnType<typeof makeTestCa>;
let otherCa: ReturnType<typeof makeTestCa>;

beforeAll(async () => {
  const binaries = await embeddedBinaries();
  const made = makeServerData(binaries);
  folder = made.folder;
  ca = makeTestCa(folder, "right");
  otherCa = makeTestCa(folder, "other");
  server = await startServerOn(binaries, made.data, {
    ssl: "on",
    ssl_cert_file: ca.certificateFile,
    ssl_key_file: ca.keyFile,
  });
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = (caFile: string, url = server.url) =>
  anEnvironment({ DATABASE_URL: url, DATABASE_CA_FILE: caFile, LOG_LEVEL: "info" });

test("with the CA of the server, migrate, API, worker, webhooks and listeners connect with TLS", async () => {
  const env = environment(ca.caFile);
  expect(await runPostern(["migrate"], env)).toMatchObject({ code: 0 });
  const simulator = simulatorSettings({ url: "http://127.0.0.1:4579", region: "eu-central-1" });
  const running = await spawnPostern("serve", {
    ...env,
    ...simulator,
    DATABASE_DIRECT_URL: `${server.url}?sslmode=verify-full`,
  });
  onTestFinished(async () => {
    running.kill("SIGKILL");
    await running.exited;
  });
  const db = openTestDatabase(server.url);
  onTestFinished(() => db.close());
  const sessions = () =>
    db.query<{ name: string; ssl: boolean }>({
      name: "tls-of-sessions",
      text: `
        select distinct application_name as name, ssl
        from pg_stat_activity
        join pg_stat_ssl using (pid)
        where application_name <> 'postern-test' and backend_type = 'client backend'`,
    });
  await expect
    .poll(async () => (await sessions()).map(({ name }) => name), { timeout: 15_000 })
    .toEqual(expect.arrayContaining(["serve", "accept", "webhooks", "hints"].map(applicationName)));
  expect((await sessions()).filter(({ ssl }) => !ssl)).toEqual([]);
}, 180_000);

test("with the CA of another server, migrate is refused with the setting to correct", async () => {
  const { code, stderr } = await runPostern(["migrate"], environment(otherCa.caFile));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^Cannot connect to PostgreSQL with TLS \(.*\)\. Set DATABASE_CA_FILE to the certificate of the CA/,
  );
});

test("with the CA of another server, an API does not start and says why", async () => {
  await expect(spawnPostern("api", environment(otherCa.caFile))).rejects.toThrow(
    "Set DATABASE_CA_FILE to the certificate of the CA that signed",
  );
});

test("with a host name that the certificate does not contain, the message asks for another name", async () => {
  const { stderr } = await runPostern(
    ["migrate"],
    environment(ca.caFile, server.url.replace("127.0.0.1", "localhost")),
  );
  expect(stderr).toContain("Use a host name in DATABASE_URL that the certificate of the server contains.");
});

test("a file that is missing or no certificate is reported with the other settings", () => {
  expect(configProblems({ DATABASE_CA_FILE: "/nowhere/ca.pem" })).toEqual([
    "DATABASE_CA_FILE names a file that cannot be read",
  ]);
  expect(configProblems({ DATABASE_CA_FILE: `${aFolder({ "ca.pem": "no certificate" })}/ca.pem` })).toEqual([
    "DATABASE_CA_FILE must name a file with a certificate in PEM format",
  ]);
});

test.for([
  ["postgres://h/d?sslmode=disable", "DATABASE_CA_FILE is set, but DATABASE_URL has sslmode=disable; use verify-full"],
  [
    "postgres://h/d?sslmode=no-verify",
    "DATABASE_URL has sslmode=no-verify, which ignores DATABASE_CA_FILE; use verify-full",
  ],
  ["postgres://h/d?sslrootcert=/x", "DATABASE_URL has sslrootcert, and DATABASE_CA_FILE is set; keep one of them"],
] as const)("a CA that %s would ignore is refused, also by migrate", async ([url, problem]) => {
  expect(configProblems({ DATABASE_URL: url, DATABASE_CA_FILE: ca.caFile })).toEqual([problem]);
  const { code, stderr } = await runPostern(["migrate"], { DATABASE_URL: url, DATABASE_CA_FILE: ca.caFile });
  expect({ code, stderr }).toMatchObject({ code: 78, stderr: expect.stringContaining(problem) });
});

test("a pooler on the same machine may do without TLS while the server uses it", () => {
  const urls = { DATABASE_URL: "postgres://127.0.0.1:6432/d?sslmode=disable", DATABASE_DIRECT_URL: "postgres://h/d" };
  const { database } = readConfig(anEnvironment({ ...urls, DATABASE_CA_FILE: ca.caFile }));
  expect(database.url).toBe(urls.DATABASE_URL);
  expect(database.directUrl).toContain("sslmode=verify-full");
});
