import type { Command, Option } from "commander";

/** A word that the shell can offer. */
export interface Candidate {
  word: string;
  description: string;
}

/** An option with a value: the shell offers the choices, or folders, or nothing. */
export interface ValueOption {
  flag: string;
  choices: string[];
  isFolder: boolean;
}

export interface CompletionNode {
  /** The names of the command after `postern`, separated by spaces; empty for `postern` itself. */
  path: string;
  /** Subcommands, options and choices of the arguments. */
  candidates: Candidate[];
  valueOptions: ValueOption[];
}

/** Every command of the tree with the words that can follow it, so that a script cannot differ from the commands. */
export function describeTree(command: Command, path = ""): CompletionNode[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = help.visibleOptions(command).filter(({ long }) => long !== undefined);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  // `postern help` is followed by the commands that it explains.
  const explained = command.name() === "help" ? help.visibleCommands(command.parent ?? command) : [];
  const node = {
    path,
    candidates: [
      ...[...commands, ...explained].map((each) => ({ word: each.name(), description: each.summary() })),
      ...choices.map((word) => ({ word, description: "" })),
      ...options.map((option) => ({ word: option.long ?? "", description: option.description })),
    ],
    valueOptions: options.filter(({ required }) => required).map(toValueOption),
  };
  return [node, ...commands.flatMap((each) => describeTree(each, `${path} ${each.name()}`.trim()))];
}

function toValueOption(option: Option): ValueOption {
  return { flag: option.long ?? "", choices: option.argChoices ?? [], isFolder: option.flags.endsWith("<DIR>") };
}
