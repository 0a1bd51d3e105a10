import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { compareSpeed, type SpeedComparison } from "./pooler/compare-speed.ts";
import { withPooledCell } from "./pooler/pooled-cell.ts";
import { tryWrongSetUps, wrongSetUps } from "./pooler/refused-starts.ts";
import { type FaultRun, runWithFaults } from "./pooler/run-with-faults.ts";
import { createSendingClient } from "./sends/sending-client.ts";

const fullSize = 6_000;
const poolSize = 20;

export const proof: Proof = {
  promise:
    "Through PgBouncer in transaction mode, which crashes and loses server connections, no send is lost or doubled and no account sees another",
  covers: [...sendPath, "deploy/pgbouncer", "service/proofs/pooler", "service/test/pgbouncer"],
  size: { small: 300, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const isFull = size === fullSize;
    const client = createSendingClient(64);
    try {
      return await withPooledCell(serverUrl, isFull ? 100 : 20, async (cell) => {
        const speedSizes = isFull
          ? { rounds: 1, paced: 1_000, perSecond: 50, fullSpeed: 2_000 }
          : { rounds: 1, paced: 50, perSecond: 50, fullSpeed: 100 };
        const speed = await compareSpeed(cell, client, speedSizes, progress);
        const setUps = await tryWrongSetUps(cell, isFull ? wrongSetUps : wrongSetUps.slice(0, 2));
        const faultSizes = isFull
          ? { sends: size, perSecond: 50, faultEveryMs: 4_000, endsLeases: false, processes: 2 }
          : { sends: size, perSecond: 50, faultEveryMs: 2_000, endsLeases: true, processes: 1 };
        const run = await runWithFaults(cell, client, faultSizes, progress);
        return evaluate(cell.pgbouncer.version, size, { speed, run, setUps });
      });
    } finally {
      client.close();
    }
  },
};

interface Found {
  speed: SpeedComparison;
  run: FaultRun;
  setUps: { refused: string[]; others: string[] };
}

function evaluate(version: string, size: number, { speed, run, setUps }: Found): Finding {
  const { load, faults, reads, sends, leaks, controls } = run;
  const failedControls = Object.entries(controls).filter(([, isSeen]) => !isSeen);
  const describe = ({ p50Ms, p99Ms, acceptedPerSecond, drainedPerSecond }: SpeedComparison["direct"]) =>
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms until the 202, ${Math.round(acceptedPerSecond)} accepted and ` +
    `${Math.round(drainedPerSecond)} drained a second at full speed`;
  return {
    figure:
      `${version}, transaction mode, at most ${run.maxServers} server connections, ${size === fullSize ? "2 APIs and 2 workers" : "an API and a worker"}: ${load.ids.size} of ${size} sends ` +
      `accepted with ${load.retries} retries during ${faults.crashes} crashes of PgBouncer, ${faults.killedBackends} killed server connections and ` +
      `${faults.reconnects} reconnects: ${sends.lost} lost, ${sends.doubled} doubled, ${sends.differentKeys} keys without exactly one send, ` +
      `${load.unexpected.length} answers other than 202 and 503, ${run.lostStatements} lost prepared statements; settled ` +
      `${run.settleSeconds.toFixed(0)} s after the load; ` +
      `${reads.foreign} of ${reads.reads} lists showed a send of another account; ${leaks.leaks} of ${leaks.checks} looks at ${leaks.backends} ` +
      `server connections saw a role or account of another client; ` +
      `direct: ${describe(speed.direct)}; through PgBouncer: ${describe(speed.pooled)}; ` +
      `refused at start with the fix: ${setUps.refused.join(", ")}` +
      [
        ...load.unexpected.slice(0, 3),
        ...setUps.others,
        ...failedControls.map(([name]) => `the control ${name} saw nothing`),
      ]
        .map((problem) => `; ${problem}`)
        .join(""),
    holds:
      load.ids.size === size &&
      sends.lost + sends.doubled + sends.differentKeys + load.unexpected.length + run.lostStatements === 0 &&
      reads.reads > 0 &&
      reads.foreign + leaks.leaks === 0 &&
      leaks.backends > 1 &&
      run.maxServers <= poolSize &&
      faults.crashes > 0 &&
      faults.killedBackends > 0 &&
      setUps.others.length === 0 &&
      failedControls.length === 0,
  };
}
