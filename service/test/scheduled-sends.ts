import type { Attachment } from "../src/attachments/attachment.ts";
import type { Database } from "../src/db/database.ts";
import type { Mode } from "../src/mode.ts";
import { aQueuedSend, testContentKeys } from "./send-builders.ts";
import { change } from "./send-rows.ts";

interface ScheduledSend {
  accountId: string;
  fromDomain?: string;
  apiKeyId?: string;
  mode?: Mode;
  to?: string[];
  /** From now; negative when it is due. */
  dueInSeconds: number;
  keys?: typeof testContentKeys;
  attachments?: Attachment[];
}

/** A send that waits for its time. Returns its id. */
export async function aScheduledSend(
  db: Database,
  { dueInSeconds, keys = testContentKeys, ...options }: ScheduledSend,
): Promise<string> {
  const id = await aQueuedSend(db, { ...options, keys });
  await change(
    db,
    `with queued as (
       delete from send_queue where id = $1 returning *
     ), content as (
       delete from send_contents where id = $1 returning sealed
     ), stored as (
       update sends set scheduled_at = now() + make_interval(secs => $2) where id = $1
     )
     insert into scheduled_sends (id, account_id, mode, scheduled_at, from_domain, counted_recipients, recipients, sealed,
       attachment_bytes)
     select id, account_id, mode, now() + make_interval(secs => $2), from_domain, 1, recipients, content.sealed, attachment_bytes
     from queued, content`,
    [id, dueInSeconds],
  );
  return id;
}

export async function isScheduled(db: Database, id: string): Promise<boolean> {
  return (await change(db, "select from scheduled_sends where id = $1", [id])).length === 1;
}
