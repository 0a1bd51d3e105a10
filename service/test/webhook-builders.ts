import { randomUUIDv7 } from "node:crypto";
import type { Queryable } from "../src/db/database.ts";
import type { Mode } from "../src/mode.ts";
import { type NotificationType, notificationTypes } from "../src/webhooks/notification-types.ts";

interface Endpoint {
  accountId: string;
  mode?: Mode;
  types?: readonly NotificationType[];
  url?: string;
}

/** An enabled endpoint for every type. Returns its id. */
export async function anEndpoint(db: Queryable, { accountId, mode = "live", types, url }: Endpoint): Promise<string> {
  const id = randomUUIDv7();
  await db.query({
    name: "an-endpoint",
    text: `
      insert into webhook_endpoints (id, account_id, mode, url, types)
      values ($1, $2, $3, $4, $5)`,
    values: [id, accountId, mode, url ?? `https://${id}.example.com/hooks`, types ?? notificationTypes],
  });
  return id;
}

export interface StoredNotification {
  type: string;
  publicId: string;
  sequence: number | null;
  sendStatus: string | null;
  facts: Record<string, unknown> | null;
  envelope: string | null;
}

/** The notifications of the account, oldest first. */
export function notificationsOf(db: Queryable, accountId: string): Promise<StoredNotification[]> {
  return db.query<StoredNotification>({
    name: "notifications-of",
    text: `
      select type, public_id as "publicId", sequence, send_status as "sendStatus", facts, envelope
      from notifications
      where account_id = $1
      order by sequence, id`,
    values: [accountId],
  });
}
