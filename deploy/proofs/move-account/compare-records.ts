import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosCell } from "../../../chaos/cell/chaos-cell.ts";
import { createSendingClient, inParallel, type TestSender } from "../../../service/proofs/sends/sending-client.ts";
import type { Database } from "../../../service/src/db/database.ts";

export interface RecordDifferences {
  /** Sends of the source, with those of record. */
  sends: number;
  events: number;
  /** Sends of the source that the target does not have, and of 1,000 of them those that its API does not find. */
  missingSends: number;
  /** Events of the source that the target does not have. */
  missingEvents: number;
  /** Events that the target has twice. */
  doubledEvents: number;
}

/** Compares everything that the source has with the target. The target has more: what happened after the switch. */
export async function compareRecords(
  source: ChaosCell,
  target: ChaosCell,
  sender: TestSender,
): Promise<RecordDifferences> {
  const ids = await sendIdsOf(source.db, sender.accountId);
  const there = new Set(await sendIdsOf(target.db, sender.accountId));
  const asked = ids.filter((_, index) => index % Math.ceil(ids.length / askedAtMost) === 0);
  const missingSends = ids.filter((id) => !there.has(id)).length + (await countNotFound(target, sender, asked));
  const [before, after] = [await eventsOf(source.db, sender.accountId), await eventsOf(target.db, sender.accountId)];
  const known = new Set(after);
  return {
    sends: ids.length,
    events: before.length,
    missingSends,
    missingEvents: before.filter((event) => !known.has(event)).length,
    doubledEvents: after.length - known.size,
  };
}

async function sendIdsOf(db: Database, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "sends-of-account",
    text: "select id from sends where account_id = $1 order by id",
    values: [accountId],
  });
  return rows.map(({ id }) => id);
}

async function eventsOf(db: Database, accountId: string): Promise<string[]> {
  const rows = await db.query<{ event: string }>({
    name: "events-of-account",
    text: `
      select concat_ws(' ', send_id, event_type, recipient, extract(epoch from event_at), bounce_type, bounce_subtype) as event
      from events
      where account_id = $1`,
    values: [accountId],
  });
  return rows.map(({ event }) => event);
}

/** Of the sends, evenly: the API limits the reads of an account. */
const askedAtMost = 1_000;
const concurrency = 16;
const maxTries = 5;
const tooManyReads = 429;

/** Asks the API of the target with the key of the account, as the customer would. */
async function countNotFound({ apiUrls }: ChaosCell, sender: TestSender, ids: string[]): Promise<number> {
  const client = createSendingClient(concurrency);
  let missing = 0;
  const isFound = async (id: string) => {
    for (let tries = 0; tries < maxTries; tries++) {
      const url = apiUrls[tries % apiUrls.length] ?? "";
      const { status, body } = await client.get(`${url}/api/v1/send/${id}/status`, sender);
      if (status === 200) return body.id === id;
      if (status === 404) return false;
      if (status === tooManyReads) await sleep(1_000);
    }
    return false;
  };
  await inParallel(ids, concurrency, async (id) => {
    if (!(await isFound(id))) missing += 1;
  });
  client.close();
  return missing;
}
