import { Command, type CommanderError } from "commander";
import { AppError } from "../errors.ts";

/** Ends with code 64. The usage of the command follows the reason. */
export function usageError(command: Command, reason: string): AppError {
  const usage = command.createHelp().commandUsage(command);
  const help = ["postern help", ...namesOf(command)].join(" ");
  return new AppError("VALIDATION_ERROR", `${reason}\n\nUsage: ${usage}\nFor details: \`${help}\``);
}

type UsedCommand = Command & { unknownOptionText: string | undefined };

/** Translates commander's messages about wrong arguments, which this version words as the patterns say. */
export function explainUsage(command: UsedCommand, { code, message }: CommanderError): AppError {
  const [, quoted = ""] = /'([^']*)'/.exec(message) ?? [];
  const [flag = ""] = quoted.split(" ");
  switch (code) {
    case "commander.unknownCommand":
      return usageError(command, `There is no command "${quoted}".${suggestion(message)}`);
    case "commander.unknownOption":
      return usageError(command, command.unknownOptionText ?? `There is no option "${quoted}".${suggestion(message)}`);
    case "commander.missingMandatoryOptionValue":
      return usageError(command, unknownOptionText(command) ?? `${flag} is missing.`);
    case "commander.optionMissingArgument":
      return usageError(command, `${flag} needs a value.`);
    case "commander.missingArgument":
      return usageError(command, `The argument ${quoted} is missing.`);
    case "commander.excessArguments":
      return usageError(command, `Unknown argument "${command.args[command.registeredArguments.length]}".`);
    case "commander.invalidArgument":
      return usageError(command, invalidValue(message));
    default:
      return usageError(command, message.replace(/^error: /, ""));
  }
}

/** commander reports a missing option first, although the cause is often a misspelled one. */
function unknownOptionText(command: Command): string | undefined {
  const unknown = command.args.find((word) => /^--./.test(word));
  if (unknown === undefined) return undefined;
  const probe = new Command().exitOverride().configureOutput({ outputError: () => undefined });
  for (const { flags } of command.options) probe.option(flags);
  try {
    probe.parse([unknown], { from: "user" });
    return undefined;
  } catch (error) {
    return `There is no option "${unknown}".${error instanceof Error ? suggestion(error.message) : ""}`;
  }
}

/** An option and an argument with choices get commander's text; those with a parser of their own have the whole reason. */
function invalidValue(message: string): string {
  const [, flag, value, reason = message] =
    /^error: option '(\S+)[^']*' argument '([\s\S]*)' is invalid\. ([\s\S]*)$/.exec(message) ?? [];
  const [, choices] = /^Allowed choices are (.*)\.$/.exec(reason) ?? [];
  if (choices !== undefined && flag !== undefined) return `${flag} must be ${anyOf(choices)}, not "${value}".`;
  const [, argument, argumentChoices] =
    /^error: command-argument value '[\s\S]*' is invalid for argument '(\w+)'\. Allowed choices are (.*)\.$/.exec(
      message,
    ) ?? [];
  return argument === undefined ? reason : `${argument} must be ${anyOf(argumentChoices ?? "")}.`;
}

/** "live, test" → "live or test" */
function anyOf(choices: string): string {
  return choices.replace(/, ([^,]*)$/, " or $1");
}

function suggestion(message: string): string {
  const [, one, several] = /\(Did you mean (?:one of (.+)|(.+))\?\)$/.exec(message) ?? [];
  const names = (one ?? several)?.split(", ").map((name) => `"${name}"`);
  return names === undefined ? "" : ` Did you mean ${anyOf(names.join(", "))}?`;
}

function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}
