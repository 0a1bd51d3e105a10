import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { PostgresBinaries } from "../src/dev/embedded-postgres.ts";
import type { PrivatePostgres } from "../test/private-postgres.ts";
import { end } from "./feedback-cell.ts";
import { type Aftermath, type Loss, loseSomeTime } from "./lost-time.ts";
import { ask, type BaseBackup, binariesLike, takeBaseBackup } from "./postgres-copies.ts";
import { startTcpSwitch } from "./tcp-switch.ts";
import { until } from "./until.ts";

export const proof: Proof = {
  promise:
    "After a failover or restore nothing is doubled that SES tells of and nothing known is lost; the rest is listed",
  size: { small: 4, full: 200 },
  run: async (size, { serverUrl, progress }) => {
    const binaries = await binariesLike(serverUrl);
    const scenes = [
      ["a lagging standby promoted", failover(binaries)],
      ["a backup restored by recovery, workers restarted", restore(binaries, "recovery")],
      ["a backup put back in the same timeline under a running worker", restore(binaries, "plain")],
    ] as const;
    const found = await Promise.all(
      scenes.map(async ([name, loss]) => {
        const say: ProofTools["progress"] = (message) => progress(`${name}: ${message}`);
        return { name, ...(await loseSomeTime(binaries, { size, loss, progress: say })) };
      }),
    );
    return { figure: found.map(describe).join("; "), holds: found.every(isRight) };
  },
};

function describe(one: Aftermath & { name: string }): string {
  return (
    `${one.name} (noticed as "${one.cause}"): ${one.known} sends known afterwards, ${one.lost} lost; of ${one.told} handed over ` +
    `in the lost time and told of later ${one.toldDoubled} doubled; of ${one.untold} told of at once, most of it lost ` +
    `too, ${one.untoldDoubled} doubled, ${one.unlisted} without a word of it in their record; ${one.gone} handed over and gone from ` +
    `the database, of which ${one.goneListed} of ${one.goneTold} told of are listed; a new send went out after ` +
    `${one.newSendSeconds.toFixed(1)} s`
  );
}

function isRight(one: Aftermath): boolean {
  return (
    one.told > 0 &&
    one.lost + one.toldDoubled + one.unlisted === 0 &&
    one.goneTold > 0 &&
    one.goneListed === one.goneTold
  );
}

/** The link to the standby is cut some time before the primary dies. */
function failover(binaries: PostgresBinaries): Loss {
  return async (primary) => {
    const link = await startTcpSwitch(primary.port);
    const backup = await takeBaseBackup(binaries, primary);
    const standby = await backup.start({ standbyOf: link.port });
    const isStreaming = async () =>
      (await ask(primary.url, "select count(*) as answer from pg_stat_replication where state = 'streaming'")) === "1";
    await until("the standby streams", 30, isStreaming);
    return {
      async diverge() {
        const hasAll = "select bool_and(replay_lsn >= pg_current_wal_lsn()) as answer from pg_stat_replication";
        await until("the standby has all", 30, async () => (await ask(primary.url, hasAll)) === "true");
        link.pointTo(undefined);
      },
      async switchOver({ door }) {
        await primary.stop("SIGQUIT");
        await ask(standby.url, "select pg_promote(true, 30) as answer");
        door.pointTo(standby.port);
      },
      async end() {
        await standby.stop();
        await link.close();
        backup.remove();
      },
    };
  };
}

/** A base backup is taken under load, and put in the place of the server some time later. */
function restore(binaries: PostgresBinaries, how: "plain" | "recovery"): Loss {
  return async (primary) => {
    let backup: BaseBackup | undefined;
    let restored: PrivatePostgres | undefined;
    return {
      async diverge() {
        backup = await takeBaseBackup(binaries, primary);
      },
      async switchOver({ door, worker, startWorker }) {
        if (how === "recovery") await end(worker);
        else await writeAsMuchAsAnHour(primary);
        await primary.stop();
        restored = await backup?.start(how);
        await until("the copy takes writes", 30, async () => {
          return (await ask(restored?.url ?? "", "select pg_is_in_recovery() as answer")) === "false";
        });
        door.pointTo(restored?.port);
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
 * A running worker notices an older copy by how much is on disk, and the copy itself writes some before it looks. In the lost
 * hour of a real one there is far more; here a new WAL segment stands for it, and the worker has time to see it.
 */
async function writeAsMuchAsAnHour({ url }: PrivatePostgres): Promise<void> {
  await ask(url, "select pg_switch_wal() as answer");
  await ask(url, "checkpoint");
  await sleep(2_000);
}
