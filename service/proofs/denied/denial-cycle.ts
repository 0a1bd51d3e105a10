import { setTimeout as sleep } from "node:timers/promises";
import type { SesSimulator } from "@postern/ses-simulator";
import type { Database } from "../../src/db/database.ts";
import type { EmailProvider } from "../../src/provider/email-provider.ts";
import type { Secret } from "../../src/secret.ts";
import { changeSimulator } from "../cell/simulator-control.ts";
import type { SubmitProxy } from "../proxies/submit-proxy.ts";
import type { DomainSenders } from "../sends/domain-senders.ts";
import { queueSends } from "../sends/queued-sends.ts";
import { until } from "../until.ts";

export const missingSet = "postern-ZZ";

export interface DenialFixture {
  isFull: boolean;
  /** Sends of each denied domain. */
  size: number;
  simulator: SesSimulator;
  provider: EmailProvider;
  proxy: SubmitProxy;
  db: Database;
  contentKey: Secret;
  denied: DomainSenders;
  others: DomainSenders;
  progress(message: string): void;
}

export interface DenialCycle {
  deniedIds: string[];
  /** The sends of other domains, with the time at which they were queued. */
  otherIds: Map<string, number>;
  /** Requests that SES denied before the permission came back. */
  denials: number;
  deniedSeconds: number;
  /** From the return of the permission until SES accepted the last send. */
  resumedSeconds: number;
  wasHeld: boolean;
}

const secondsOfDenial = { small: 2, full: 150 };

/** SES denies some domains while others send on; then the permission and the configuration set come back. */
export async function runDenialCycle(fixture: DenialFixture): Promise<DenialCycle> {
  const { simulator, provider, proxy, db, denied, progress, isFull } = fixture;
  for (const { fromDomain } of denied) {
    const rule = { match: { fromDomain }, fault: { kind: "access-denied" } };
    if (fromDomain !== "missing.test") await changeSimulator(simulator, "POST", "rules", rule);
  }
  const deniedIds: string[] = [];
  for (const sender of denied) deniedIds.push(...(await queue(fixture, sender, fixture.size)));
  const started = performance.now();
  const otherIds = new Map<string, number>();
  const endOfDenial = started + secondsOfDenial[isFull ? "full" : "small"] * 1000;
  while (performance.now() < endOfDenial) {
    for (const sender of fixture.others) {
      for (const id of await queue(fixture, sender, 2)) otherIds.set(id, Date.now());
    }
    if (!isFull) await makeProbesDue(db);
    progress(`denied for ${Math.round((performance.now() - started) / 1000)} s, ${otherIds.size} other sends queued`);
    await sleep(250);
  }
  await until("the mail of the other domains", 20, async () => (await countQueued(db, [...otherIds.keys()])) === 0);
  await until("all denied mail is parked", 20, async () => (await countParked(db)) >= deniedIds.length - denied.length);
  const wasHeld = wasHeldLong(await readHolds(db), isFull ? 10 : 40);
  const denials = proxy.seen.filter(({ status }) => status === 403 || status === 404).length;

  await changeSimulator(simulator, "DELETE", "rules", {});
  await provider.createConfigurationSet(missingSet);
  const restored = performance.now();
  await until("the denied mail", 180, async () => {
    if (!isFull) await makeProbesDue(db);
    progress(`permission back for ${Math.round((performance.now() - restored) / 1000)} s`);
    return (await countQueued(db, deniedIds)) === 0;
  });
  const [deniedSeconds, resumedSeconds] = [(restored - started) / 1000, (performance.now() - restored) / 1000];
  return { deniedIds, otherIds, denials, deniedSeconds, resumedSeconds, wasHeld };
}

function queue({ db, contentKey }: DenialFixture, sender: DomainSenders[number], count: number): Promise<string[]> {
  return queueSends(db, { ...sender, count, contentKey });
}

async function makeProbesDue(db: Database): Promise<void> {
  await db.query({
    name: "domain-probes-now",
    text: "update domains set probe_at = now() where denied_since is not null",
  });
}

async function countQueued(db: Database, ids: string[]): Promise<number> {
  const [row] = await db.query<{ sends: number }>({
    name: "count-queued",
    text: "select count(*) as sends from send_queue where id = any($1::uuid[])",
    values: [ids],
  });
  return row?.sends ?? 0;
}

async function countParked(db: Database): Promise<number> {
  const [row] = await db.query<{ sends: number }>({
    name: "count-parked",
    text: "select count(*) as sends from send_queue where state = 'parked'",
  });
  return row?.sends ?? 0;
}

interface HoldRow {
  reason: string | null;
  heldSeconds: number;
}

async function readHolds(db: Database): Promise<HoldRow | undefined> {
  const [row] = await db.query<HoldRow>({
    name: "read-holds",
    text: `
      select hold_reason as reason, extract(epoch from held_for)::float8 as "heldSeconds"
      from provider_state
      where mode = 'live'`,
  });
  return row;
}

/** A hold of a few seconds, longer beside other tests, is allowed at the start, when SES has not accepted anything yet. */
function wasHeldLong(holds: HoldRow | undefined, allowedSeconds: number): boolean {
  return holds === undefined || holds.reason !== null || holds.heldSeconds > allowedSeconds;
}
