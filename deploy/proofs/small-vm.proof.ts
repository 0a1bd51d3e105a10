import { availableParallelism, loadavg } from "node:os";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "../../service/proofs/cell/feedback-cell.ts";
import { cpuSecondsOf, postgresCpuSeconds, postgresProcesses } from "../../service/proofs/cpu-times.ts";
import { pssMegabytes } from "../../service/proofs/idle/process-memory.ts";
import { makeSenders, senderDomain } from "../../service/proofs/sends/sending-client.ts";
import { until } from "../../service/proofs/until.ts";
import { makeShippedPostern } from "../../service/test/shipped-postern.ts";
import { createTemplate } from "../../service/test/template-database.ts";
import { type Cgroup, makeCgroup } from "./small-vm/cgroup.ts";
import { startLimitedPostgres } from "./small-vm/limited-postgres.ts";
import { offerLoad } from "./small-vm/offered-load.ts";

const fullSeconds = 1_800;
const perSecond = { small: 20, full: 50 };
const limits = { cpus: 1, megabytes: 400 };
/** A small run may share the machine, so its times prove nothing. */
const maxP99Ms = { small: 20_000, full: 100 };
/** After the last request. A cell that keeps up needs a second or two. */
const maxLagSeconds = { small: 60, full: 10 };
const accounts = 10;
/** As docs/performance.md advises for a small machine: each connection takes 5 to 15 MB of PostgreSQL, and `postern serve` has fewer. */
const postgresSettings = { shared_buffers: "32MB", max_connections: "40", jit: "off" };
const settings = { DATABASE_POOL_SIZE: "4" };

/** It needs root and cgroups, so the tests leave it out. */
export const proof: Proof = {
  promise:
    "`postern serve` and PostgreSQL on 1 CPU and 400 MB take 50 mails a second for half an hour, each accepted (p99 within 100 ms), submitted and its events applied",
  covers: [...sendPath, "deploy/proofs/small-vm", "service/package.json", "service/src/api/http"],
  size: { small: 20, full: fullSeconds },
  run: async (seconds, tools) => {
    const shipped = makeShippedPostern();
    const cgroup = makeCgroup(`postern-small-vm-${process.pid}`, limits);
    try {
      const server = await startLimitedPostgres(cgroup, postgresSettings);
      try {
        await createTemplate(server.url);
        const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
        return await withFeedbackCell(server.url, { verifiedIdentities }, (cell) =>
          measure(cell, { cgroup, program: shipped.program }, seconds, tools),
        );
      } finally {
        await server.stop();
      }
    } finally {
      shipped.remove();
      await cgroup.remove();
    }
  },
};

async function measure(
  cell: FeedbackCell,
  { cgroup, program }: { cgroup: Cgroup; program: [string, ...string[]] },
  seconds: number,
  { progress }: ProofTools,
): Promise<Finding> {
  const size = seconds < fullSeconds ? "small" : "full";
  const rate = perSecond[size];
  const postern = await cell.start("serve", settings, cgroup.inside(program));
  postern.ignoreLogs();
  const senders = await makeSenders(cell.db, cell, accounts, [100_000, 1_000_000, 6_000_000]);
  await untilRateIsKnown(cell);
  const cpuSeconds = async () => [cpuSecondsOf(postern.pid), await postgresCpuSeconds(cell.db)];

  let usedMegabytes = 0;
  const killed = new AbortController();
  const check = () => {
    usedMegabytes = Math.max(usedMegabytes, cgroup.usedMegabytes());
    const kills = cgroup.oomKills();
    if (kills > 0)
      killed.abort(new Error(`the kernel killed ${kills} processes: more than ${limits.megabytes} MB were in use`));
    progress(`up to ${usedMegabytes.toFixed(0)} MB`);
  };
  const watch = setInterval(check, 500);
  try {
    const [before, throttledBefore, begunAt] = [await cpuSeconds(), cgroup.throttledSeconds(), performance.now()];
    const { acceptedMs, others } = await offerLoad(
      { url: postern.url, senders, perSecond: rate, seconds },
      killed.signal,
    );
    const after = await cpuSeconds();
    const throttled = cgroup.throttledSeconds() - throttledBefore;
    const offeredUntil = performance.now();
    const loadSeconds = (offeredUntil - begunAt) / 1_000;
    const completed = await untilComplete(cell, acceptedMs.length, maxLagSeconds[size]);
    check();
    killed.signal.throwIfAborted();
    const lagSeconds = (performance.now() - offeredUntil) / 1_000;
    const p99 = percentile(acceptedMs, 0.99);
    const posternMb = pssMegabytes([postern.pid]);
    const postgresMb = pssMegabytes(await postgresProcesses(cell.db, { withoutOwn: true }));
    const cpu = after.map((used, index) => (((used - (before[index] ?? 0)) / loadSeconds) * 100).toFixed(0));
    return {
      figure:
        `${rate} mails a second for ${seconds} s: ${acceptedMs.length} accepted, p50 ${percentile(acceptedMs, 0.5).toFixed(1)} ms, ` +
        `p99 ${p99.toFixed(1)} ms, ${Object.keys(others).length === 0 ? "no other answer" : `others ${JSON.stringify(others)}`}; ` +
        `${completed} submitted with their events applied, the last ${lagSeconds.toFixed(1)} s after the last request\n` +
        `${limits.cpus} CPU (postern serve ${cpu[0]} %, PostgreSQL ${cpu[1]} %; throttled ${throttled.toFixed(0)} s), ` +
        `up to ${usedMegabytes.toFixed(0)} of ${limits.megabytes} MB without page cache (at the end, as proportional set size: postern serve ${posternMb.toFixed(0)}, ` +
        `PostgreSQL ${postgresMb.toFixed(0)}), no process killed for memory; ` +
        `cgroup v${cgroup.version}, shared_buffers ${postgresSettings.shared_buffers}, DATABASE_POOL_SIZE ${settings.DATABASE_POOL_SIZE}; simulator and load outside; ` +
        `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
      holds: acceptedMs.length === rate * seconds && completed === acceptedMs.length && p99 < maxP99Ms[size],
    };
  } finally {
    clearInterval(watch);
  }
}

/** Every mail has one recipient, whose address works. Returns how many have a Delivery event. */
async function untilComplete({ db }: FeedbackCell, wanted: number, withinSeconds: number): Promise<number> {
  let completed = 0;
  const count = async () => {
    const [row] = await db.query<{ count: number }>({
      name: "count-complete",
      text: `select count(*) as count from sends where status = 'delivered'`,
    });
    completed = row?.count ?? 0;
    return completed >= wanted;
  };
  await until("every mail is complete", withinSeconds, count, 500).catch(() => undefined);
  return completed;
}

function percentile(values: Float64Array, share: number): number {
  return values.toSorted()[Math.floor(values.length * share)] ?? Number.NaN;
}
