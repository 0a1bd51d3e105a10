import type { ChaosCell } from "../../../chaos/cell/chaos-cell.ts";
import { change } from "../../../service/test/send-rows.ts";

/** What the controls do wrong around a move. The counts must find it, or they could not fail. */
export interface Fault {
  name: string;
  /** In the hold-free time before the switch. */
  before(source: ChaosCell, target: ChaosCell, accountId: string): Promise<void>;
  /** Right after the release. */
  after(source: ChaosCell, target: ChaosCell, accountId: string): Promise<void>;
}

const asMove = "set_config('postern.moves_account', 'on', true)";

/** As if the source had kept its queue, and an operator had resumed the account there by hand. */
export const sourceResumed: Fault = {
  name: "the source keeps its queue and is resumed",
  async before({ db }, _, accountId) {
    await change(db, "drop table if exists kept_queue");
    await change(db, "create table kept_queue as table send_queue with no data");
    await change(db, "insert into kept_queue select * from send_queue where account_id = $1 and state = 'ready'", [
      accountId,
    ]);
  },
  async after({ db }, _, accountId) {
    await change(db, "delete from outgoing_moves where account_id = $1", [accountId]);
    await change(
      db,
      `with as_move as materialized (select ${asMove}), resumed as (
         update accounts set suspended_at = null from as_move where id = $1
       )
       insert into send_queue
       select kept_queue.* from kept_queue cross join as_move
       on conflict (id) do nothing`,
      [accountId],
    );
  },
};

const newest = 20;

/** As if the last pass had been left out: what was accepted last is in neither the record nor the queue of the target. */
export const lastPassMissing: Fault = {
  name: "the last pass is left out",
  before: async () => undefined,
  async after(_, { db }, accountId) {
    await change(
      db,
      `with as_move as materialized (select ${asMove}), last as materialized (
         select q.id
         from send_queue q
         cross join as_move
         where q.account_id = $1
           and q.state in ('ready', 'parked')
         order by q.id desc
         limit ${newest}
         for update of q
       ), queued as (
         delete from send_queue using last where send_queue.id = last.id
       )
       delete from sends using last where sends.id = last.id`,
      [accountId],
    );
  },
};
