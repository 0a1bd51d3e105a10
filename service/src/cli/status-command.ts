import type { Environment } from "../config.ts";
import { PosternCommand } from "./postern-command.ts";

export function statusCommand(loadEnvironment: () => Promise<Environment>): PosternCommand {
  return new PosternCommand("status")
    .about(
      "show queues, holds, feedback, processes and problems",
      "Shows the state of this installation: queues, holds, sending rate, feedback, quarantine, partitions, failovers, processes and schema. " +
        "It reads only the database.",
      "Exit code: 0 when it finds no problem, 1 when it finds one.",
    )
    .option("--json", "print the state and the problems as JSON")
    .example("postern status", "postern status --json")
    .action(async ({ json = false }: { json?: boolean }) => {
      const { runStatus } = await import("./status.ts");
      await runStatus(await loadEnvironment(), { isJson: json });
    });
}
