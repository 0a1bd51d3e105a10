import type { Queryable } from "../db/database.ts";
import { countText, durationText } from "../plain-text.ts";
import type { Problem } from "./problem.ts";
import type { RunbookSection } from "./runbook-sections.ts";

/** Moves of accounts between cells that wait for an operator (`postern admin move-account`). */
interface InterruptedMove {
  id: string;
  name: string;
  /**
   * `stopped`: this cell sends no mail of the account, and the other one only if the move was released there. `undone`: this cell has a copy that is not deleted yet. `prepared`: this cell
   * has a copy, and deletes no old contents and records of any account meanwhile. `late-reports`: the account has
   * moved, and reports of SES about its earlier mail wait here.
   */
  kind: "stopped" | "undone" | "prepared" | "late-reports";
  /** The address of the other cell. */
  otherUrl: string;
  seconds: number;
}

export interface InterruptedMoves {
  /** At most ten, longest first. */
  moves: InterruptedMove[];
  /** Of all moves, not only the listed ones. */
  total: number;
}

export const noInterruptedMoves: InterruptedMoves = { moves: [], total: 0 };

/** A chore ends a hold whose command crashed after two minutes. Later states last seconds, unless the command stopped. */
const longHeldSeconds = 120;
const longFrozenSeconds = 300;
const longWaitingSeconds = 3_600;
/** Owners of domains have had time to publish the records. */
const longPreparedDays = 3;

/** Moves are few. Of the reports it reads the first one of each account, by index. */
export async function listInterruptedMoves(db: Queryable): Promise<InterruptedMoves> {
  const rows = await db.query<InterruptedMove & { total: number }>({
    name: "list-interrupted-moves",
    text: `
      with found as (
        select account_id, 'stopped' as kind, target_url as other_url, coalesce(frozen_at, held_at) as since
        from outgoing_moves
        where (state = 'held' and held_at < now() - make_interval(secs => ${longHeldSeconds}))
          or (state in ('frozen', 'unknown') and coalesce(frozen_at, held_at) < now() - make_interval(secs => ${longFrozenSeconds}))
        union all
        select account_id, 'undone', source_url, ended_at
        from incoming_moves
        where state = 'undone'
          and ended_at < now() - make_interval(secs => ${longFrozenSeconds})
        union all
        select account_id, 'prepared', source_url, started_at
        from incoming_moves
        where state = 'copying'
          and started_at < now() - make_interval(days => ${longPreparedDays})
        union all
        select m.account_id, 'late-reports', m.target_url, oldest.stored_at
        from outgoing_moves m
        cross join lateral (
          select stored_at
          from moved_feedback f
          where f.account_id = m.account_id
          order by f.id
          limit 1
        ) as oldest
        where m.state = 'released'
          and oldest.stored_at < now() - make_interval(secs => ${longWaitingSeconds})
      )
      select found.account_id as id, coalesce(a.name, found.account_id::text) as name, found.kind, found.other_url as "otherUrl",
        extract(epoch from now() - found.since)::float8 as seconds, count(*) over () as total
      from found
      left join accounts a on a.id = found.account_id
      order by found.kind = 'stopped' desc, found.since
      limit 10`,
  });
  return { moves: rows, total: rows[0]?.total ?? 0 };
}

const runbook: RunbookSection = "an-account-moves";

export function interruptedMoveProblems({ moves, total }: InterruptedMoves): Problem[] {
  const more = total - moves.length;
  return [
    ...moves.map((move) => ({
      ...describe(move),
      runbook,
      accountId: move.id,
      ...(move.kind === "stopped" && { stopsMail: true as const }),
    })),
    ...(more === 0
      ? []
      : [
          {
            what: `${countText(more)} more moves of accounts wait for an operator.`,
            advice: "Continue the first ones, then look again.",
            runbook,
          },
        ]),
  ];
}

function describe({ id, name, kind, otherUrl, seconds }: InterruptedMove): Pick<Problem, "what" | "advice"> {
  const [command, ago] = [`postern admin move-account ${id} --from FILE`, durationText(seconds)];
  switch (kind) {
    case "stopped":
      return {
        what: `The move of the account ${name} to ${otherUrl} was interrupted ${ago} ago: this cell sends nothing of the account.`,
        advice: `Run \`${command} --switch\` with the settings of the target, or with \`--undo\` instead of \`--switch\`.`,
      };
    case "undone":
      return {
        what: `The move of the account ${name} from ${otherUrl} was undone ${ago} ago, but its copy is not deleted yet.`,
        advice: `Run \`${command} --undo\` again, with the settings of this cell.`,
      };
    case "prepared":
      return {
        what: `The move of the account ${name} from ${otherUrl} was prepared ${ago} ago and not made. Until then no account of this cell loses old contents and records.`,
        advice: `Run \`${command} --switch\` with the settings of this cell, or with \`--undo\` instead of \`--switch\`.`,
      };
    case "late-reports":
      return {
        what: `Reports of SES for the account ${name}, which has moved to ${otherUrl}, have waited for ${ago}.`,
        advice: `Run \`${command} --switch\` again with the settings of the target: it passes them on.`,
      };
  }
}
