import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { actAsMove } from "./outgoing-move.ts";
import { relayReturnedFeedback } from "./relay-feedback.ts";

/** Longer than a hold takes: the command waits for half a minute at most before it freezes the account or ends the hold. */
const longestHoldSeconds = 120;

/** They continue what a command left that ended: a hold, and reports that came back with an account. */
export function moveChores({ db, log }: { db: Database; log: Log }): Chore[] {
  return [
    {
      name: "end-old-holds",
      pauseSeconds: 10,
      dueWhen: "select from outgoing_moves where state = 'held'",
      run: async () => {
        for (const accountId of await endOldHolds(db)) log.warn({ account_id: accountId }, "move.hold-ended");
      },
    },
    {
      name: "apply-returned-feedback",
      pauseSeconds: 60,
      dueWhen: "select from moved_feedback",
      run: async () => {
        await relayReturnedFeedback(db);
      },
    },
  ];
}

/**
 * held → copying. Serves all accounts. Returns those that it resumed. Not while the server run is unknown: after a failover the row may be older than the move
 * (in-doubt/failover-store.ts).
 */
export function endOldHolds(db: Database): Promise<string[]> {
  return db.withTransaction(async (tx) => {
    await actAsMove(tx);
    const ended = await tx.query<{ accountId: string }>({
      name: "end-old-holds",
      text: `
        with known as materialized (
          select
          from provider_state
          where mode = 'live'
            and (server_run is null or server_run = server_run())
          for share
        ), old as materialized (
          select m.account_id, m.held_at
          from known
          cross join outgoing_moves m
          where m.state = 'held'
            and m.held_at < now() - make_interval(secs => $1)
          order by m.account_id
          for update of m skip locked
        ), ended as (
          update outgoing_moves m
          set state = 'copying', held_at = null
          from old
          where m.account_id = old.account_id
          returning m.account_id
        ), resumed as (
          update accounts a
          set suspended_at = null
          from old
          where a.id = old.account_id
            and a.suspended_at = old.held_at
            and not exists (select from account_deletions d where d.account_id = a.id and d.finished_at is null)
        )
        select account_id as "accountId"
        from ended`,
      values: [longestHoldSeconds],
    });
    return ended.map(({ accountId }) => accountId);
  });
}
