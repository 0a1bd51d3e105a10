import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../src/config.ts";
import { startDatabaseCut } from "./database-cut.ts";
import { spawnPostern } from "./spawn-postern.ts";

type ProcessName = "api" | "worker" | "serve";

interface CutStart {
  /** How many statements the process had sent when it ended or had started. */
  statements: number;
  outcome: "started" | "failed" | "hangs";
  seconds: number;
  message: string;
}

/** Starts a real process whose database is cut at the given statement. A process that has started is killed. */
export async function startWithCut(
  name: ProcessName,
  environment: Environment & { DATABASE_URL: string },
  cutAt: number,
  { isFrozen = false, limitMs = 90_000 } = {},
): Promise<CutStart> {
  const cut = await startDatabaseCut(environment.DATABASE_URL, cutAt, { isFrozen });
  const begun = performance.now();
  const giveUp = new AbortController();
  const env = { ...environment, DATABASE_URL: cut.url, LOG_LEVEL: "info" };
  try {
    const [outcome, message] = await Promise.race([
      spawnPostern(name, env, undefined, giveUp.signal).then(
        async (running) => {
          const statements = cut.statements();
          running.kill("SIGKILL");
          await running.exited;
          return ["started", String(statements)] as const;
        },
        (error: Error) => ["failed", error.message] as const,
      ),
      sleep(limitMs, ["hangs", ""] as const),
    ]);
    const statements = outcome === "started" ? Number(message) : cut.statements();
    return { statements, outcome, seconds: (performance.now() - begun) / 1000, message };
  } finally {
    giveUp.abort();
    await cut.close();
  }
}
