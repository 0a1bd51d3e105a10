import { stripVTControlCharacters } from "node:util";
import { type Argument, type Command, Help, type Option } from "commander";
import { bold } from "./colour.ts";

interface HelpTexts {
  examples: string[];
  /** Further texts, each below a title, such as the exit codes. */
  sections: { title: string; text: string }[];
}

/** The layout of the help: names of values in capitals, the usage with every option, the examples at the end. */
export class PosternHelp extends Help {
  override formatHelp(command: Command, helper: Help): string {
    const { sections, examples } = textsOf(command);
    const shown = [...sections, { title: "Examples:", text: examples.join("\n") }].filter(({ text }) => text !== "");
    const blocks = shown.map(({ title, text }) => `${helper.styleTitle(title)}\n${indented(text)}`);
    return `${[super.formatHelp(command, helper).trimEnd(), ...blocks].join("\n\n")}\n`;
  }

  override styleTitle(title: string): string {
    return bold(title);
  }

  override commandUsage(command: Command): string {
    if (command.commands.length > 0) return super.commandUsage(command);
    const words = [...command.registeredArguments.map(argumentUsage), ...command.options.map(optionUsage)];
    return [fullName(command), ...words].join(" ");
  }

  override optionTerm(option: Option): string {
    return withoutBrackets(option.flags);
  }

  override optionDescription({ description }: Option): string {
    return description;
  }

  override subcommandTerm(command: Command): string {
    return [command.name(), ...command.registeredArguments.map(argumentUsage)].join(" ");
  }

  override argumentDescription({ description }: Argument): string {
    return description;
  }
}

/** The help without colours, the same on every machine. */
export function plainHelp(command: Command, width: number): string {
  const help = command.createHelp();
  help.helpWidth = width;
  return stripVTControlCharacters(help.formatHelp(command, help));
}

export function allCommands(command: Command): Command[] {
  return [command, ...command.createHelp().visibleCommands(command).flatMap(allCommands)];
}

function textsOf(command: Command & Partial<HelpTexts>): HelpTexts {
  return { sections: command.sections ?? [], examples: command.examples ?? [] };
}

/** `postern admin create-account` */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function optionUsage(option: Option): string {
  const term = withoutBrackets(option.flags);
  return option.mandatory ? term : `[${term}]`;
}

function argumentUsage(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? name : `[${name}]`;
}

/** commander needs `<NAME>` to know that an option takes a value. */
function withoutBrackets(flags: string): string {
  return flags.replaceAll(/[<>]/g, "");
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
