import { randomUUIDv7 } from "node:crypto";
import { auditEntry } from "../../audit/audit-entry.ts";
import type { AccountDatabase } from "../../db/database.ts";
import type { Mode } from "../../mode.ts";
import { endpointFacts } from "../endpoint.ts";
import { limitReached, maxEndpoints } from "../endpoint-store.ts";
import type { NotificationType } from "../notification-types.ts";

/** How long a listener exists after its creation and after each take. */
export const listenSeconds = 60;

/** In place of a URL, for the audit. A worker of the release before listeners makes no request, because it is no valid URL. */
const listenerUrl = "postern listen";

export interface Listener {
  id: string;
  mode: Mode;
  types: NotificationType[];
  listensUntil: string;
}

interface NewListener {
  mode: Mode;
  types: readonly NotificationType[];
}

/**
 * A listener is an endpoint without URL and secret: its account takes the deliveries (take-notifications.ts), and no worker claims them. It counts as an
 * endpoint of the account.
 */
export async function createListener(db: AccountDatabase, { mode, types }: NewListener): Promise<Listener> {
  const id = randomUUIDv7();
  const [row] = await db.query<{ listensUntil: string }>({
    name: "create-webhook-listener",
    text: `
      with created as (
        insert into webhook_endpoints (account_id, id, mode, url, types, listens_until)
        select $1, $2, $3, $4, $5, now() + make_interval(secs => $6)
        from room_for_webhook($1) as room
        where room.taken < $7
        returning id, mode, url, description, types, disabled_at, listens_until
      ), ${auditEntry({
        action: "webhook.create",
        actor: "$8",
        target: { kind: "webhook", id: "created.id", name: "created.url" },
        after: endpointFacts("created"),
        from: "created",
      })}
      select listens_until as "listensUntil"
      from created`,
    values: [db.accountId, id, mode, listenerUrl, types, listenSeconds, maxEndpoints, JSON.stringify(db.actor)],
  });
  if (row === undefined) throw limitReached();
  return { id, mode, types: [...types], listensUntil: row.listensUntil };
}
