import { setTimeout as sleep } from "node:timers/promises";
import type { ProofTools } from "../../../scripts/proof.ts";
import { healthOf, untilRateIsKnown } from "../cell/feedback-cell.ts";
import { readWholeLedger } from "../cell/ledger-tail.ts";
import type { SendingClient, TestSender } from "../sends/sending-client.ts";
import { until } from "../until.ts";
import { type AccountReads, readAsAccounts, showsForeign } from "./account-reads.ts";
import { compareSends, type SendResult } from "./compare-sends.ts";
import type { PooledCell } from "./pooled-cell.ts";
import { causeFaults, type Faults } from "./pooler-faults.ts";
import { type Load, sendPaced } from "./send-load.ts";
import { plantLeak, watchForLeaks } from "./session-leaks.ts";

export interface FaultRun {
  load: Load;
  faults: Faults;
  reads: AccountReads;
  sends: SendResult;
  leaks: { checks: number; backends: number; leaks: number };
  /** Log lines of the processes about a prepared statement that a server connection did not know. */
  lostStatements: number;
  maxServers: number;
  settleSeconds: number;
  controls: { read: boolean; lost: boolean; doubled: boolean; leak: boolean };
}

interface FaultSizes {
  sends: number;
  perSecond: number;
  faultEveryMs: number;
  /** Ends leases after the load instead of waiting a minute for them. */
  endsLeases: boolean;
  /** Of each kind of process. */
  processes: number;
}

/** APIs and workers through PgBouncer, under load, with faults of PgBouncer and its server connections. */
export async function runWithFaults(
  cell: PooledCell,
  client: SendingClient,
  { sends: count, perSecond, faultEveryMs, endsLeases, processes }: FaultSizes,
  progress: ProofTools["progress"],
): Promise<FaultRun> {
  const { senders, pooled } = cell;
  const startAll = (role: "api" | "worker") =>
    Promise.all(Array.from({ length: processes }, () => cell.start(role, pooled)));
  const [apis, workers] = await Promise.all([startAll("api"), startAll("worker")]);
  await untilRateIsKnown(cell);
  const urls = apis.map(({ url }) => url);
  const stopping = new AbortController();
  const watch = watchForLeaks(cell.pgbouncer.url, 4, 20);
  const background = Promise.all([
    causeFaults(cell, faultEveryMs, stopping.signal),
    readAsAccounts({ client, urls, senders }, stopping.signal),
    countServers(cell, stopping.signal),
  ]);
  const load = await sendPaced({ client, urls, senders, prefix: "faults", progress }, count, perSecond);
  stopping.abort();
  const [faults, reads, maxServers] = await background;
  await watch.stop();

  progress("waiting until every send is settled");
  const ended = performance.now();
  if (endsLeases) await endLeases(cell);
  await untilSettled(cell, { client, urls, senders, ids: [...load.ids.values()] });
  const settleSeconds = (performance.now() - ended) / 1000;
  const ledger = readWholeLedger(cell.simulator);
  const own = new Set(load.ids.values());
  const ledgerOfLoad = ledger.filter(({ sendId }) => own.has(sendId));
  const lines = [...apis, ...workers].flatMap((each) => each.logs());
  return {
    load,
    faults,
    reads,
    sends: await compareSends(cell.db, load.ids, ledgerOfLoad),
    leaks: { checks: watch.checks, backends: watch.backends.size, leaks: watch.leaks },
    lostStatements: lines.filter((line) => /prepared statement/.test(JSON.stringify(line))).length,
    maxServers,
    settleSeconds,
    controls: {
      read: (await showsForeign({ client, url: urls[0] ?? "", sender: senders[0] as TestSender, account: 1 })) === true,
      lost: (await compareSends(cell.db, load.ids, ledgerOfLoad.slice(1))).lost > 0,
      doubled: (await compareSends(cell.db, load.ids, [...ledgerOfLoad, ...ledgerOfLoad.slice(0, 1)])).doubled > 0,
      leak: (await plantLeak(cell.url)) > 0,
    },
  };
}

/** Of claims whose answer was lost. Evidence decides about a send that a worker has just submitted. */
async function endLeases({ db }: PooledCell): Promise<void> {
  await sleep(2_000);
  await db.query({ name: "end-leases", text: `update send_queue set due_at = now() where state = 'leased'` });
}

async function countServers({ pgbouncer }: PooledCell, stopped: AbortSignal): Promise<number> {
  let most = 0;
  await until(
    "the load ends",
    3_600,
    async () => {
      // PgBouncer is down at times.
      const servers = await pgbouncer.command("show servers").catch(() => []);
      most = Math.max(most, servers.length);
      return stopped.aborted;
    },
    300,
  );
  return most;
}

/** Sends a mail now and then: without events of newer mail, the absence of an event for an older send proves nothing. */
async function untilSettled(
  cell: PooledCell,
  { client, urls, senders, ids }: { client: SendingClient; urls: string[]; senders: TestSender[]; ids: string[] },
): Promise<void> {
  await until(
    "every send is settled",
    300,
    async () => {
      await client.send(urls[0] ?? "", senders[0] as TestSender, {}).catch(() => undefined);
      const [row] = await cell.db.query<{ left: number }>({
        name: "left-of-load",
        text: `select count(*) as left from send_queue where id = any($1::uuid[])`,
        values: [ids],
      });
      return row?.left === 0;
    },
    300,
  );
  await until("all events are applied", 60, async () => {
    return (await cell.queued()) + (await healthOf(cell.simulator)).pendingEvents === 0;
  });
}
