import { Command, CommanderError, type Help } from "commander";
import { write } from "../plain-text.ts";
import { canColour } from "./colour.ts";
import { PosternHelp } from "./postern-help.ts";
import { explainUsage } from "./usage-error.ts";

const maxHelpWidth = 100;

/** A command of the tree. Its help ends with its examples, and wrong arguments are explained with its usage. */
export class PosternCommand extends Command {
  readonly examples: string[] = [];
  /** Further texts of the help, each below a title, such as the exit codes. */
  readonly sections: { title: string; text: string }[] = [];
  /** Replaces the text about an unknown option. */
  unknownOptionText: string | undefined;

  constructor(name: string) {
    super(name);
    this.helpOption("-h, --help", "show this help").helpCommand(false);
    // Without these, commander prints its own words and ends the process.
    this.configureOutput({
      outputError: () => undefined,
      writeOut: (text) => write(text),
      getOutHelpWidth: () => Math.min(process.stdout.columns ?? maxHelpWidth, maxHelpWidth),
      getOutHasColors: () => canColour(process.stdout),
    });
    this.exitOverride((error) => {
      throw isOutcome(error) ? error : explainUsage(this, error);
    });
  }

  /** `summary` is the line in the list of commands. The help of the command begins with it and adds the paragraphs. */
  about(summary: string, ...paragraphs: string[]): this {
    const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
    return this.summary(summary).description([sentence, ...paragraphs].join("\n\n"));
  }

  example(...lines: string[]): this {
    this.examples.push(...lines);
    return this;
  }

  section(title: string, text: string): this {
    this.sections.push({ title, text });
    return this;
  }

  override createHelp(): Help {
    return Object.assign(new PosternHelp(), this.configureHelp());
  }

  /** `postern unknown --help` is a mistake, which the help of `postern` would hide. */
  override outputHelp(): void {
    const [name = "-"] = this.args;
    if (this.commands.length > 0 && !name.startsWith("-")) requireSubcommand(this, name);
    super.outputHelp();
  }

  /** commander calls this when the subcommand is missing, and would write to the error output. */
  override help(): never {
    this.outputHelp();
    throw new CommanderError(0, "commander.help", "");
  }
}

/** The help or the version was printed. */
export function isOutcome(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** Returns the subcommand; throws commander's error with the closest suggestion when there is none. */
function requireSubcommand(command: Command, name: string): Command {
  const found = command.commands.find((each) => each.name() === name);
  if (found === undefined) command.parse([name], { from: "user" });
  return found ?? command;
}

/** A command that has only subcommands. */
export function groupOf(name: string, commands: PosternCommand[]): PosternCommand {
  const group = new PosternCommand(name).usage("<command>");
  for (const command of commands) group.addCommand(command);
  const hasHelp = commands.some((command) => command.name() === "help");
  return hasHelp ? group : group.addCommand(helpCommand(), { hidden: true });
}

/** `postern help admin create-key`, and below a group: `postern admin help create-key`. */
export function helpCommand(): PosternCommand {
  return new PosternCommand("help")
    .about("show the help of a command")
    .argument("[COMMAND...]", "the command, such as: admin create-key")
    .example("postern help migrate", "postern help admin create-key")
    .action((names: string[], _options: unknown, help: Command) => {
      let shown: Command = help.parent ?? help;
      for (const name of names) shown = requireSubcommand(shown, name);
      shown.outputHelp();
    });
}
