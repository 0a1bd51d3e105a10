import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { PostgresBinaries } from "../src/dev/postgres/embedded-postgres.ts";
import type { PrivatePostgres } from "../test/private-postgres.ts";
import { killProcess } from "./cell/feedback-cell.ts";
import type { FailoverResult } from "./failover/failover-result.ts";
import { type CommitLoss, loseCommits } from "./failover/lose-commits.ts";
import { type BaseBackup, binariesLike, queryValue, takeBaseBackup } from "./failover/postgres-copies.ts";
import { startTcpSwitch } from "./proxies/tcp-switch.ts";
import { until } from "./until.ts";

export const proof: Proof = {
  promise: "After a failover or restore no known send is lost and none that SES reports is doubled; the rest is listed",
  covers: [...sendPath, "service/proofs/cell", "service/proofs/failover", "service/src/status"],
  size: { small: 4, full: 200 },
  run: async (size, { serverUrl, progress }) => {
    const binaries = await binariesLike(serverUrl);
    const scenarios = [
      ["a lagging standby is promoted", failover(binaries)],
      ["a backup is restored by recovery and the workers restart", restore(binaries, "recovery")],
      ["a backup continues the same timeline under a running worker", restore(binaries, "plain")],
    ] as const;
    const found = await Promise.all(
      scenarios.map(async ([name, commitLoss]) => {
        const report: ProofTools["progress"] = (message) => progress(`${name}: ${message}`);
        return { name, ...(await loseCommits(binaries, { size, commitLoss, progress: report })) };
      }),
    );
    return { figure: found.map(describe).join("; "), holds: found.every(isCorrect) };
  },
};

function describe(one: FailoverResult & { name: string }): string {
  return (
    `${one.name} (detected as "${one.cause}"): ${one.known} sends known afterwards, ${one.lost} lost; of ${one.reportedLater} submitted ` +
    `in the lost period and reported after it ${one.reportedLaterDoubled} doubled; of ${one.reportedBefore} reported within it, with most ` +
    `reports lost too, ${one.reportedBeforeDoubled} doubled, ${one.unexplained} doubled without an explanation in their record; ` +
    `${one.missing} submitted and missing from the database, of which ${one.missingListed} of ${one.missingReported} reported are ` +
    `listed; a new send was submitted after ${one.newSendSeconds.toFixed(1)} s`
  );
}

function isCorrect(one: FailoverResult): boolean {
  return (
    one.reportedLater > 0 &&
    one.lost + one.reportedLaterDoubled + one.unexplained === 0 &&
    one.missingReported > 0 &&
    one.missingListed === one.missingReported
  );
}

/** The replication link breaks some time before the primary crashes. */
function failover(binaries: PostgresBinaries): CommitLoss {
  return async (primary) => {
    const link = await startTcpSwitch(primary.port);
    const backup = await takeBaseBackup(binaries, primary);
    const standby = await backup.start({ standbyOf: link.port });
    const isStreaming = async () =>
      (await queryValue(
        primary.url,
        "select count(*) as answer from pg_stat_replication where state = 'streaming'",
      )) === "1";
    await until("the standby streams", 30, isStreaming);
    return {
      async diverge() {
        const hasAll = "select bool_and(replay_lsn >= pg_current_wal_lsn()) as answer from pg_stat_replication";
        await until(
          "the standby has replayed all WAL",
          30,
          async () => (await queryValue(primary.url, hasAll)) === "true",
        );
        link.connectTo(undefined);
      },
      async switchOver({ databaseSwitch }) {
        await primary.stop("SIGQUIT");
        await queryValue(standby.url, "select pg_promote(true, 30) as answer");
        databaseSwitch.connectTo(standby.port);
      },
      async end() {
        await standby.stop();
        await link.close();
        backup.remove();
      },
    };
  };
}

/** Takes a base backup under load and replaces the server with it some time later. */
function restore(binaries: PostgresBinaries, how: "plain" | "recovery"): CommitLoss {
  return async (primary) => {
    let backup: BaseBackup | undefined;
    let restored: PrivatePostgres | undefined;
    return {
      async diverge() {
        backup = await takeBaseBackup(binaries, primary);
      },
      async switchOver({ databaseSwitch, worker, startWorker }) {
        if (how === "recovery") await killProcess(worker);
        else await writeWalSegment(primary);
        await primary.stop();
        restored = await backup?.start(how);
        await until("the copy accepts writes", 30, async () => {
          return (await queryValue(restored?.url ?? "", "select pg_is_in_recovery() as answer")) === "false";
        });
        databaseSwitch.connectTo(restored?.port);
        if (how === "recovery") await startWorker();
      },
      async end() {
        await restored?.stop();
        backup?.remove();
      },
    };
  };
}

/**
 * A running worker detects an older copy by its lower WAL position, and the copy itself writes some WAL before the worker
 * checks. A real restore loses far more WAL than that; here one new segment is enough, and the worker gets time to see it.
 */
async function writeWalSegment({ url }: PrivatePostgres): Promise<void> {
  await queryValue(url, "select pg_switch_wal() as answer");
  await queryValue(url, "checkpoint");
  await sleep(2_000);
}
