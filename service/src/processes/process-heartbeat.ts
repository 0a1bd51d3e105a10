import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import packageJson from "../../package.json" with { type: "json" };
import type { Queryable } from "../db/database.ts";
import { withDeadline } from "../deadline.ts";
import type { ClaimWatch } from "../delivery/claim-watch.ts";
import type { Log } from "../log.ts";
import type { ChoreWatch } from "../loops/chore-watch.ts";
import { type ProcessRole, readClaimable, recordProcess, recordStop } from "../status/process-store.ts";

const everyMs = 5_000;
/** After an outage of the database the other processes must see this one again at once. */
const retryMs = 1_000;
const stopWithinMs = 2_000;
const nothingClaimable = { live: false, test: false };

interface HeartbeatOptions {
  role: ProcessRole;
  db: Queryable;
  claims: ClaimWatch;
  chores: ChoreWatch;
  log: Log;
}

/** Reports this process to the others until it stops. `stop` records an orderly stop, so that nobody misses the process. */
export function startProcessHeartbeat({ role, db, claims, chores, log }: HeartbeatOptions): { stop(): Promise<void> } {
  const id = randomUUID();
  const name = `${hostname()}/${process.pid}`;
  const stopping = new AbortController();

  async function send(): Promise<void> {
    const isClaimable = role === "api" ? nothingClaimable : await readClaimable(db).catch(() => nothingClaimable);
    const ends = chores.takeEnds();
    const secondsAgo = (at: number) => (performance.now() - at) / 1000;
    try {
      await recordProcess(db, {
        id,
        role,
        name,
        version: packageJson.version,
        startedSecondsAgo: performance.now() / 1000,
        claimsFailingSeconds: claims.failingSeconds(),
        choresFailingSeconds: chores.queueFailingSeconds(),
        claimedSecondsAgo: { live: claims.claimedSecondsAgo("live"), test: claims.claimedSecondsAgo("test") },
        isClaimable,
        chores: [...ends].map(([chore, { endedAt, hasFailed }]) => ({
          name: chore,
          endedSecondsAgo: secondsAgo(endedAt),
          hasFailed,
        })),
        chorePauseSeconds: chores.pauseSeconds(),
      });
    } catch (error) {
      chores.putBack(ends);
      throw error;
    }
  }

  const ended = (async () => {
    for (let isFailing = false; !stopping.signal.aborted; ) {
      try {
        await send();
        isFailing = false;
      } catch (err) {
        if (!isFailing) log.warn({ err }, "heartbeat.failed");
        isFailing = true;
      }
      await sleep(isFailing ? retryMs : everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    async stop() {
      stopping.abort();
      const stopped = ended.then(() => recordStop(db, id));
      // Without the record the process is reported as crashed for some minutes, which is better than a stop that takes longer.
      await withDeadline(stopWithinMs, "the last heartbeat", stopped).catch((err: unknown) =>
        log.warn({ err }, "heartbeat.failed"),
      );
    },
  };
}
