import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { checkOut, copyWithPlantedSteps } from "./upgrade/code-tree.ts";
import { findPreviousCode } from "./upgrade/previous-code.ts";
import { type UpgradeOutcome, upgradeUnderLoad } from "./upgrade/upgrade-under-load.ts";

/** The small size runs beside other tests, where a process that has just started gets little CPU. */
const pauseLimitMs = { full: 5_000, small: 8_000 };
const isFull = (seconds: number) => seconds >= 600;

/** The size is the time of one run in seconds. At full size a second run has an open transaction that blocks the migration; the small size has only that one. */
export const proof: Proof = {
  promise:
    "An upgrade, a rollback and another upgrade under load fail no request, lose and double no mail, and pause delivery for 5 s at most",
  covers: [
    "service/migrations",
    "service/src/accept",
    "service/src/db",
    "service/src/delivery",
    "service/src/processes",
    "service/src/queue",
    "deploy/cells/haproxy.cfg",
  ],
  size: { small: 50, full: 600 },

  async run(seconds, tools) {
    const previousCode = findPreviousCode();
    const [previous, next] = [checkOut(previousCode.commit), copyWithPlantedSteps()];
    try {
      const limitMs = isFull(seconds) ? pauseLimitMs.full : pauseLimitMs.small;
      const lockTimes = isFull(seconds) ? [0, 60] : [10];
      const results: { text: string; holds: boolean }[] = [];
      for (const lockSeconds of lockTimes) {
        const perSecond = isFull(seconds) ? 50 : 20;
        const result = await inOwnFolder(tools, limitMs, (folder) =>
          upgradeUnderLoad({
            previous,
            next,
            seconds,
            perSecond,
            lockSeconds,
            inPairs: !isFull(seconds),
            folder,
            progress: tools.progress,
          }),
        );
        results.push({ text: describe(result, perSecond, lockSeconds), holds: holds(result, limitMs) });
      }
      return {
        figure: `from ${previousCode.name}: ${results.map(({ text }) => text).join("\n")}`,
        holds: results.every((result) => result.holds),
      };
    } finally {
      previous.remove();
      next.remove();
    }
  },
};

function describe(result: UpgradeOutcome, perSecond: number, lockSeconds: number): string {
  const { sends, replaced, repeated, failed, lost, doubled, problems } = result;
  const blocked = lockSeconds === 0 ? "" : `, while an open transaction blocked the migration for ${lockSeconds} s`;
  return (
    `${sends} sends at ${perSecond} a second, ${replaced} processes replaced${blocked}: ${failed} failed, ` +
    `${repeated} requests repeated by the client, the slowest send took ${secondsText(result.slowestMs)}; ${lost} lost, ${doubled} doubled; ` +
    `longest pause in delivery ${secondsText(result.longestPauseMs)} (control, a lock without a timeout: ${secondsText(result.controlPauseMs)}); ` +
    `an incompatible step was ${result.isStepRefused ? "" : "not "}refused by the linter, by \`migrate --contract\` and, forced, by the version check` +
    problems.map((problem) => `\n${problem}`).join("")
  );
}

function holds({ replaced, failed, lost, doubled, problems, ...result }: UpgradeOutcome, limitMs: number): boolean {
  const isWhole = failed === 0 && lost === 0 && doubled === 0 && problems.length === 0 && replaced === 12;
  return isWhole && result.longestPauseMs <= limitMs && result.controlPauseMs > limitMs;
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The logs stay when the run fails. */
async function inOwnFolder(
  tools: ProofTools,
  limitMs: number,
  work: (folder: string) => Promise<UpgradeOutcome>,
): Promise<UpgradeOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "postern-upgrade-"));
  tools.progress(`logs in ${folder}`);
  const result = await work(folder);
  if (holds(result, limitMs)) rmSync(folder, { recursive: true, force: true });
  return result;
}
