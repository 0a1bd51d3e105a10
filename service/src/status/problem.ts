import type { RunbookSection } from "./runbook-sections.ts";

/** A condition that does not resolve itself, or that an operator wants to know about immediately. */
export interface Problem {
  what: string;
  advice: string;
  /** The part of docs/runbook.md that explains it. */
  runbook?: RunbookSection;
  /** The account that it concerns, if it concerns one. */
  accountId?: string;
  /** Mail that could go out waits because of it. */
  stopsMail?: true;
}

/** The first command of the advice that can be run as it stands; null when it has none. */
export function commandOf({ advice }: Problem): string | null {
  const commands = [...advice.matchAll(/`(postern [^`]+|select [^`]+)`/g)].map(([, command = ""]) => command);
  return commands.find((command) => !/\b(ID|NAME|FILE)\b/.test(command)) ?? null;
}

/** The reason that an operator gave for a hold. */
export function noteText(note: string | null): string {
  return note === null ? "" : ` ("${note}")`;
}
