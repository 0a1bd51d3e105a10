import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";

const maxMs = 60_000;

/** Runs the command of the operator that gives the proxy its new lines. The account lives in the target already: a failure is only said. */
export async function tellProxy(command: string, lines: string): Promise<void> {
  const child = spawn("sh", ["-c", command], { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(lines);
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const code = await Promise.race([ended, sleep(maxMs, "late" as const, { ref: false })]);
  if (code === 0) return;
  if (code === "late") child.kill();
  const how = code === "late" ? "did not end within a minute" : `ended with ${code ?? "a signal"}`;
  throw new AppError(
    "CONFLICT",
    `The account lives in this cell now, but the command of --proxy ${how}. Put these lines into moved.map and reload the proxy, then run ` +
      `the command again without --proxy:\n${lines}`,
  );
}
