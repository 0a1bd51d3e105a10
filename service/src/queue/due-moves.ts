import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { cancellableStates } from "./fail-queued.ts";

/** What a tick has to do. Each move looks again for its rows, so a wrong `true` costs statements and moves nothing. */
export interface DueMoves {
  /** Sends whose scheduled time has come. */
  scheduled: boolean;
  /** A move of `tickQueue`. */
  queued: boolean;
  /** The provider is held, so a probe may be due. */
  probe: boolean;
}

/**
 * Looks for all moves that only time triggers, with one statement: almost every tick finds none, and the moves themselves are nine
 * statements. Parked and in-doubt sends count whenever there are any, because what releases them is not in their row.
 */
export async function findDueMoves(db: Queryable, mode: Mode): Promise<DueMoves> {
  const [row] = await db.query<DueMoves>({
    name: "find-due-moves",
    text: `
      select
        coalesce((
          select true
          from scheduled_sends
          where mode = $1 and scheduled_at <= now()
          order by scheduled_at
          limit 1
        ), false) as scheduled,
        coalesce(
          ${firstQueued("state = 'leased' and due_at < now()", "due_at")},
          ${firstQueued("state = 'in-doubt'", "due_at")},
          ${firstQueued("state = 'waiting' and due_at <= now()", "due_at")},
          ${firstQueued("state = 'parked'", "account_id")},
          ${firstQueued(`expires_at <= now() and expires_at is not null and state in (${cancellableStates})`, "expires_at")},
          (select true from domains where $1 = 'live' and denied_since is not null limit 1),
          false
        ) as queued,
        coalesce((select true from provider_state where mode = $1 and hold_reason is not null), false) as probe`,
    values: [mode],
  });
  return row ?? { scheduled: false, queued: false, probe: false };
}

/** SQL: whether there is such a send, found as the move finds it: in the order of its index. */
function firstQueued(condition: string, order: string): string {
  return `(select true from send_queue where mode = $1 and ${condition} order by ${order} limit 1)`;
}
