import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { aSeparateDatabase, runPostern } from "../../test/run-postern.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { rememberProvider } from "../provider/remember-provider.ts";

const shared = useTestDatabase();

describe("postern refuses to start", () => {
  test("with an invalid configuration: code 78, and every problem is listed", async () => {
    const { code, stderr } = await runPostern(
      ["api"],
      anEnvironment({ AWS_REGION: "europe", PORT: "70000", CONTENT_KEY: "" }),
    );
    expect(code).toBe(78);
    expect(stderr).toContain("Postern cannot start. 3 problems in the configuration of `postern api`:");
    for (const key of ["AWS_REGION", "PORT", "CONTENT_KEY"]) expect(stderr).toMatch(new RegExp(`^ {2}- ${key} `, "m"));
  });

  test("with another provider than the one that the database belongs to: code 78", async () => {
    const { url, db } = await aSeparateDatabase(copyTemplate);
    await rememberProvider(db, "ses");
    const { code, stderr } = await runPostern(["api"], anEnvironment({ DATABASE_URL: url }));
    expect(code).toBe(78);
    expect(stderr).toContain("This database belongs to POSTERN_PROVIDER=ses, but this process is set to simulator.");
  });

  test("on a database whose commits do not wait for the disk: code 78", async () => {
    const { url, db } = await aSeparateDatabase(copyTemplate);
    const name = new URL(url).pathname.slice(1);
    await db.query({ name: "disable-synchronous-commit", text: `alter database ${name} set synchronous_commit = off` });
    const { code, stderr } = await runPostern(["api"], anEnvironment({ DATABASE_URL: url }));
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining("synchronous_commit off") });
  });

  test("without a database: code 1, and the message says what to check", async () => {
    const { code, stderr } = await runPostern(["api"], anEnvironment());
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^Cannot connect to PostgreSQL \(.*ECONNREFUSED.*\)\. Check DATABASE_URL and the server\.\n$/,
      ),
    });
  });

  test.for([
    ["no server answers", "postgres://nobody@127.0.0.1:1/nothing"],
    ["the database does not exist", ""],
  ])("migrate, when %s: code 1, and the message says what to check", async ([, given = ""]) => {
    const url = given === "" ? `${shared.url}_that_does_not_exist` : given;
    const { code, stderr } = await runPostern(["migrate"], anEnvironment({ DATABASE_URL: url }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^(Cannot connect to PostgreSQL|PostgreSQL refuses the connection) \(.+\)\. Check DATABASE_URL.*\.\n$/,
      ),
    });
  });

  test.for(["PORT", "OPERATIONS_PORT"])("when %s is in use: code 1, and the message names the port", async (key) => {
    const port = await aPortInUse();
    const { code, stderr } = await runPostern(["api"], anEnvironment({ DATABASE_URL: shared.url, [key]: port }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Cannot listen on 127.0.0.1:${port} (setting ${key}): the port is in use. Choose another one; each process on a machine needs its own.\n`,
    });
  });
});

async function aPortInUse(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return String(address.port);
}
