import type { OperatorStatus } from "../operator-queries.ts";

type Problem = Pick<OperatorStatus["problems"][number], "what" | "advice" | "command">;

/** The first sentence or clause is the title; numbers such as "5.76 %" do not end it. */
export function splitProblem(what: string): { title: string; rest: string } {
  const [, title = what, rest = ""] = /^(.+?[.:])\s+(.+)$/s.exec(what) ?? [];
  return { title, rest };
}

/** The command stands beside the advice, so the text does not repeat it. */
export function adviceText({ advice, command }: Problem): string {
  if (command === null) return advice;
  return advice.replace(`Run \`${command}\``, "Run the command").replace(`: \`${command}\``, ": run the command");
}
