import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { NotificationType } from "./notification-types.ts";

export const replayStates = ["running", "done", "cancelled"] as const;

/** A time range that is sent again to one endpoint. */
export interface Replay {
  id: string;
  from: string;
  to: string;
  types: NotificationType[];
  /** Only what failed is sent again, and not everything. */
  isOnlyFailed: boolean;
  state: (typeof replayStates)[number];
  /** How much of the range has been read, from 0 to 1. */
  progress: number;
  deliveries: number;
  createdAt: string;
  finishedAt: string | null;
}

/** SQL. The range is read twice, for its events and for the other notifications, unless only what failed is sent again. */
export function replayColumns(replay: string): string {
  const share = `extract(epoch from time_of_id(${replay}.position) - ${replay}.from_at) / extract(epoch from ${replay}.to_at - ${replay}.from_at)`;
  return `${replay}.id, ${replay}.from_at as "from", ${replay}.to_at as "to", ${replay}.types, ${replay}.only_failed as "isOnlyFailed", ${replay}.state, ${replay}.deliveries,
          case ${replay}.state when 'done' then 1
            else round((case ${replay}.part when 'notifications' then 0.5 else 0 end
              + least(greatest(${share}, 0), 1) / case ${replay}.part when 'deliveries' then 1 else 2 end)::numeric, 3)::float8
          end as progress,
          ${replay}.created_at as "createdAt", ${replay}.finished_at as "finishedAt"`;
}

const listLimit = 100;

/** The newest 100, newest first. */
export async function listReplays(db: AccountDatabase, endpointId: string): Promise<Replay[]> {
  return db.query<Replay>({
    name: "list-webhook-replays",
    text: `
      select ${replayColumns("r")}
      from webhook_replays r
      where r.account_id = $1
        and r.endpoint_id = $2
      order by r.id desc
      limit $3`,
    values: [db.accountId, endpointId, listLimit],
  });
}

export async function getReplay(db: AccountDatabase, endpointId: string, id: string): Promise<Replay> {
  const [replay] = await db.query<Replay>({
    name: "get-webhook-replay",
    text: `
      select ${replayColumns("r")}
      from webhook_replays r
      where r.account_id = $1
        and r.endpoint_id = $2
        and r.id = $3`,
    values: [db.accountId, endpointId, id],
  });
  if (replay === undefined) throw noSuchReplay();
  return replay;
}

export function noSuchReplay(): AppError {
  return new AppError("NOT_FOUND", "This webhook has no replay with this id.");
}
