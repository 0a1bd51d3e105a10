import type { Environment } from "../../src/config.ts";
import { startWithCut } from "../../test/start-with-cut.ts";

interface CutStarts {
  cuts: number;
  slowestSeconds: number;
  /** Starts that ended with code 0, or did not end. */
  failures: string[];
}

const names = ["api", "worker", "serve"] as const;
/** A statement after the last start-up step: the process runs and survives the cut. */
const beyondStart = 1.15;

/** Cuts the database of each kind of process at up to `maxCuts` of the statements that it sends while it starts, spread evenly. */
export async function cutStarts(
  environment: Environment,
  maxCuts: number,
  progress: (message: string) => void,
): Promise<CutStarts> {
  const found: CutStarts = { cuts: 0, slowestSeconds: 0, failures: [] };
  const DATABASE_URL = environment.DATABASE_URL ?? "";
  for (const name of names) {
    const whole = await startWithCut(name, { ...environment, DATABASE_URL }, Number.POSITIVE_INFINITY);
    const last = Math.floor(whole.statements * beyondStart);
    const stride = Math.max(1, Math.ceil(last / maxCuts));
    for (let at = 1; at <= last; at += stride) {
      const { outcome, message, seconds } = await startWithCut(name, { ...environment, DATABASE_URL }, at);
      found.cuts += 1;
      if (outcome === "started") continue;
      found.slowestSeconds = Math.max(found.slowestSeconds, seconds);
      const isExpected = outcome === "failed" && /ended with code (1|78) /.test(message);
      if (!isExpected) found.failures.push(`${name} at statement ${at}: ${outcome} ${message.slice(0, 200)}`);
      progress(`${name}: cut at ${at} of ${whole.statements}`);
    }
  }
  return found;
}
