import { describe, expect, test } from "vitest";
import { aFolder, runNode, runPostern } from "../../test/run-postern.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";

const shared = useTestDatabase();

describe("postern", () => {
  test.for([[], ["help"], ["--help"]])("prints the usage when called as: postern %s", async (args) => {
    const { code, stdout } = await runPostern(args);
    expect(code).toBe(0);
    for (const command of ["dev", "serve", "api", "worker", "migrate", "status", "aws", "admin"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  const mistakes = [
    [["stats"], 'There is no command "stats". Did you mean "status"?', "postern <command>", "postern help"],
    [["stats", "--help"], 'There is no command "stats". Did you mean "status"?', "postern <command>", "postern help"],
    [["help", "aws", "docter"], 'Did you mean "doctor"?', "postern aws <command>", "postern help aws"],
    [["status", "--jsn"], 'Did you mean "--json"?', "postern status [--json]", "postern help status"],
    [["status", "now"], 'Unknown argument "now".', "postern status [--json]", "postern help status"],
    [["completion", "ksh"], "SHELL must be bash, zsh or fish.", "postern completion SHELL", "postern help completion"],
    [["completion"], "The argument SHELL is missing.", "postern completion SHELL", "postern help completion"],
  ] as const;

  test.for(mistakes)("%j ends with code 64, the reason and the usage", async ([args, reason, usage, help]) => {
    const { code, stdout, stderr } = await runPostern(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain(reason);
    expect(stderr).toMatch(new RegExp(`\\n\\nUsage: ${RegExp.escape(usage)}\\nFor details: \`${help}\`\\n$`));
  });

  test("--version and help load neither Fastify nor AWS nor pg nor the settings", async () => {
    const hooks = `import { registerHooks } from "node:module";
      registerHooks({ load: (url, context, next) => {
        if (/fastify|@aws-sdk|[/]node_modules[/](pg|zod|pino)[/]/.test(url)) throw new Error("loads " + url);
        return next(url, context);
      } });`;
    const preload = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];
    for (const args of [["--version"], ["help"], ["help", "admin", "create-key"], ["completion", "bash"]]) {
      expect(await runNode([...preload, posternPath, ...args])).toMatchObject({ code: 0, stderr: "" });
    }
    expect(await runNode([...preload, posternPath, "status"])).toMatchObject({ code: 1 });
  });

  test("a .env file in the working directory is read, and the environment overrides it", async () => {
    const folder = aFolder({ ".env": `DATABASE_URL=${shared.url}\nLOG_LEVEL=loud\n` });
    expect(await runPostern(["migrate"], { LOG_LEVEL: "info" }, folder)).toMatchObject({ code: 0 });
    const refused = await runPostern(["migrate"], {}, folder);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringMatching(/1 problem .*\n {2}- LOG_LEVEL /) });
  });

  test.for(["serve", "api", "worker"])(
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
