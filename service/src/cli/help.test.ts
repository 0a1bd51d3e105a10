import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { runPostern } from "../../test/run-postern.ts";
import { allCommands, fullName, plainHelp } from "./postern-help.ts";
import { createProgram } from "./program.ts";

const commands = allCommands(createProgram());

describe("the help", () => {
  test.for(commands.map((command) => [fullName(command), command] as const))(
    "of `%s` is complete",
    ([name, command]) => {
      const help = plainHelp(command, 100);
      expect(help).toMatch(new RegExp(`^Usage: ${name}( |\\n)`));
      expect(help).toMatch(/\nExamples:\n {2}\S/);
      expect(command.summary()).toMatch(/^[a-z].*[^.]$/);
      for (const option of command.options) expect(option.description, option.flags).not.toBe("");
      for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe("");
    },
  );

  test("begins an example of each command with that command", () => {
    for (const command of commands) {
      const { examples } = command as Command & { examples: string[] };
      expect(
        examples.some((example) => example.includes(fullName(command))),
        fullName(command),
      ).toBe(true);
    }
  });

  test.for([
    [["admin", "create-account", "--help"]],
    [["help", "admin", "create-account"]],
    [["admin", "help", "create-account"]],
    [["admin", "create-account", "-h"]],
  ])("is printed without a database and without settings: postern %j", async ([args = []]) => {
    const { code, stdout, stderr } = await runPostern(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^Usage: postern admin create-account --name NAME --email EMAIL \[--with-key TYPE\] \[--trial N\]\n/,
    );
  });

  test("has no line that is longer than 100 characters, except usages and examples", () => {
    for (const command of commands) {
      const lines = plainHelp(command, 100).split("\n");
      const long = lines.filter((line) => line.length > 100 && !line.includes("postern "));
      expect(long).toEqual([]);
    }
  });

  test("names every exit code", async () => {
    const { stdout } = await runPostern(["help"]);
    for (const code of [0, 1, 64, 78]) expect(stdout).toMatch(new RegExp(`^ {2}${code} +\\w`, "m"));
  });
});
