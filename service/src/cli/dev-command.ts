import { InvalidArgumentError } from "commander";
import { PosternCommand } from "./postern-command.ts";

export function devCommand(): PosternCommand {
  return new PosternCommand("dev")
    .about(
      "try Postern: API, worker, PostgreSQL and a simulated SES in one terminal",
      "It creates an account with API keys, and a page shows the mail. No mail leaves this machine. Ctrl-C stops everything.",
    )
    .option("--fresh", "delete the data of earlier runs first")
    .option("--state <DIR>", "folder that keeps the data between runs (default: .postern)")
    .option("--port <N>", "port of the API (default: 3000, or the next free port)", readPort)
    .example("postern dev", "postern dev --fresh --port 8080")
    .action(async (options: { fresh?: true; state?: string; port?: number }) => {
      const { runDev } = await import("./dev.ts");
      await runDev({ isFresh: options.fresh === true, state: options.state ?? ".postern", port: options.port });
    });
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError(`--port must be a number from 1 to 65535, not "${text}".`);
}
