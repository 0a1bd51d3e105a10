import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosCell } from "../../../chaos/cell/chaos-cell.ts";
import { changeSimulator } from "../../../service/proofs/cell/simulator-control.ts";
import { until } from "../../../service/proofs/until.ts";
import { type DnsRecord, dnsRecordsOf } from "../../../service/src/domains/domain.ts";
import { listDomains } from "../../../service/src/domains/domain-store.ts";
import { change } from "../../../service/test/send-rows.ts";

/** The times of a released move, in milliseconds since 1970, by the clocks of the databases. */
export interface MoveTimes {
  heldMs: number;
  releasedMs: number;
}

export async function readMoveTimes(source: ChaosCell, target: ChaosCell, accountId: string): Promise<MoveTimes> {
  const ms = async ({ db }: ChaosCell, table: string, column: string) => {
    const text = `select extract(epoch from ${column}) * 1000 as ms from ${table} where account_id = $1`;
    const [row] = await change(db, text, [accountId]);
    return Number(row?.ms);
  };
  return {
    heldMs: await ms(source, "outgoing_moves", "held_at"),
    releasedMs: await ms(target, "incoming_moves", "ended_at"),
  };
}

/** Undefined while the source knows no move. */
export async function outgoingState({ db }: ChaosCell, accountId: string): Promise<string | undefined> {
  const [row] = await change(db, "select state from outgoing_moves where account_id = $1", [accountId]);
  return row === undefined ? undefined : String(row.state);
}

/** Polls closely: a hold lasts seconds. Returns the state that was seen. */
export async function untilHeld(source: ChaosCell, accountId: string, hasEnded: () => boolean): Promise<string> {
  for (;;) {
    const state = (await outgoingState(source, accountId)) ?? "none";
    if (state !== "copying" && state !== "none") return state;
    if (hasEnded()) return state;
    await sleep(5);
  }
}

export async function countQueued({ db }: ChaosCell, accountId: string): Promise<number> {
  const [row] = await change(db, "select count(*) as count from send_queue where account_id = $1", [accountId]);
  return Number(row?.count);
}

/** Sends that wait for a worker, or for a report of SES. */
export async function countUnreported({ db }: ChaosCell, accountId: string): Promise<number> {
  const [row] = await change(
    db,
    "select count(*) as count from sends where account_id = $1 and status in ('queued', 'sent')",
    [accountId],
  );
  return Number(row?.count);
}

/** What is left of an account in a cell. */
export async function countRows({ db }: ChaosCell, accountId: string): Promise<number> {
  const [row] = await change(
    db,
    `select (select count(*) from sends where account_id = $1) + (select count(*) from events where account_id = $1)
       + (select count(*) from send_queue where account_id = $1) + (select count(*) from api_keys where account_id = $1)
       + (select count(*) from accounts where id = $1) + (select count(*) from incoming_moves where account_id = $1) as count`,
    [accountId],
  );
  return Number(row?.count);
}

/** Workers would learn the rate of SES within a minute. */
export async function changeRate({ db, simulatorUrl }: ChaosCell, perSecond: number): Promise<void> {
  await changeSimulator({ url: simulatorUrl }, "PATCH", "account", { maxSendRate: perSecond });
  await change(db, "update provider_state set max_per_second = $1 where mode = 'live'", [perSecond]);
}

/** The customer publishes what the target wants, and the target finds it. */
export async function verifyDomains(target: ChaosCell, accountId: string): Promise<void> {
  const domains = await listDomains(target.db.forAccount(accountId));
  const records = domains.flatMap((domain): DnsRecord[] => dnsRecordsOf(domain));
  await changeSimulator({ url: target.simulatorUrl }, "POST", "dns", { dns_records: records });
  // A worker would look within the 30 seconds of a new domain.
  await change(target.db, "update domains set next_check_at = now() where account_id = $1", [accountId]);
  await until("the domains are verified in the target", 60, async () => {
    const statuses = (await listDomains(target.db.forAccount(accountId))).map((domain) => domain.verificationStatus);
    return statuses.length > 0 && statuses.every((status) => status === "Success");
  });
}
