import { describe, expect, test } from "vitest";
import { aFolder, runPostern } from "../../test/run-postern.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";

const shared = useTestDatabase();

describe("postern", () => {
  test.for([[], ["help"], ["--help"]])("prints the usage when called as: postern %s", async (args) => {
    const { code, stdout } = await runPostern(args);
    expect(code).toBe(0);
    for (const command of ["dev", "api", "worker", "migrate", "aws", "status", "admin"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  test("an unknown command ends with code 64 and the usage", async () => {
    const { code, stderr } = await runPostern(["start"]);
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('There is no command "start".') });
    expect(stderr).toContain("Usage: postern <command>");
  });

  test("a .env file in the working directory is read, and the environment overrides it", async () => {
    const folder = aFolder({ ".env": `DATABASE_URL=${shared.url}\nLOG_LEVEL=loud\n` });
    expect(await runPostern(["migrate"], { LOG_LEVEL: "info" }, folder)).toMatchObject({ code: 0 });
    const refused = await runPostern(["migrate"], {}, folder);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringMatching(/1 problem .*\n {2}- LOG_LEVEL /) });
  });

  test.for(["api", "worker", "migrate"])(
    "postern %s refuses options with code 64, and --help prints the usage",
    async (command) => {
      const { code, stderr } = await runPostern([command, "--port", "4000"], {});
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("takes no options") });
      expect(await runPostern([command, "--help"], {})).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Usage: postern"),
      });
    },
  );
});
