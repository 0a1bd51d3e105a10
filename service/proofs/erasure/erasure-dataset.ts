import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { writeEverywhere, writeInNames } from "../../test/address-everywhere.ts";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { anEndpoint } from "../../test/webhook-builders.ts";
import { aSender, type ChurnSender } from "../usage/churn-senders.ts";

export interface LedgerSend {
  id: string;
  recipients: string[];
}

export interface ErasureDataset {
  senders: ChurnSender[];
  /** Every send with its recipients, as the provider knows them. */
  ledger: LedgerSend[];
  /** The addresses to erase. */
  addresses: string[];
  reports: number;
}

const churnMs = 15 * 60_000;

/**
 * Mail of some accounts in every state, made by processes that are killed, and one row in every table with each address. A
 * fifth of the sends to other people have one in the name of their sender.
 */
export async function makeDataset(
  db: Database,
  url: string,
  { size, addresses: count, seed }: { size: number; addresses: number; seed: number },
): Promise<ErasureDataset> {
  const senders = await Promise.all([0, 1, 2].map((n) => aSender(db, { writesUnicode: n === 0, tags: 20 })));
  await change(
    db,
    "update accounts set limit_per_second = 100000, limit_per_10_seconds = 1000000, limit_per_minute = 6000000",
  );
  await change(db, "update feedback_progress set workers_up_since = now() - interval '3 days'");
  await anEndpoint(db, { accountId: senders[0]?.accountId ?? "" });
  const reports = await churn(url, senders, size, seed);
  // Callers write addresses in other fields too.
  await change(
    db,
    `update sends
     set subject = 'For ' || to_addresses[1], metadata = '{"user":"' || to_addresses[1] || '"}'
     where hashtext(id::text) % 3 = 0`,
  );
  const ledger = await db.query<LedgerSend>({
    name: "ledger-of-sends",
    text: "select id, to_addresses as recipients from sends",
  });
  const addresses = [...new Set(ledger.flatMap(({ recipients }) => recipients))].toSorted().slice(0, count);
  const accountId = await anAccount(db, { name: "Other rows" });
  const fromDomain = await aVerifiedDomain(db, accountId);
  for (const address of addresses) {
    const sendId = await aQueuedSend(db, { accountId, fromDomain, to: [address] });
    await writeEverywhere(db, { accountId, sendId, address });
  }
  const others = ledger.filter(({ recipients }) => !recipients.some((recipient) => addresses.includes(recipient)));
  for (const [index, address] of addresses.entries()) {
    const sendIds = others.filter((_, position) => position % (5 * count) === index).map(({ id }) => id);
    await writeInNames(db, { sendIds, address });
  }
  return { senders, ledger, addresses, reports };
}

async function churn(url: string, senders: ChurnSender[], size: number, seed: number): Promise<number> {
  let reports = 0;
  const path = join(import.meta.dirname, "../usage/churn-process.ts");
  const running = [1, 2].map((n) => fork(path, [url, String(seed + n), JSON.stringify(senders)]));
  for (const child of running) {
    child.on("message", (more) => {
      reports += Number(more);
    });
  }
  try {
    for (const until = performance.now() + churnMs; reports < size; await sleep(50)) {
      if (performance.now() > until) throw new Error(`only ${reports} of ${size} reports in time`);
      if (running.some(({ exitCode }) => exitCode !== null)) throw new Error("a process ended by itself");
    }
  } finally {
    await Promise.all(
      running.map(async (child) => {
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
      }),
    );
  }
  // A killed process leaves its last statement to the server, which ends it.
  await sleep(1_000);
  return reports;
}
