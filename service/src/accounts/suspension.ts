import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";

/**
 * Why a credential was refused as that of a suspended account. An account that moves to another cell is suspended in both; `resumed`: it
 * is not suspended any more.
 */
export type Suspension = { kind: "suspended" | "moving" | "resumed" } | { kind: "moved"; url: string };

/** Only for accounts that were refused: other requests must not pay for it. A move into this cell began after any move out of it. */
export async function findSuspensions(db: Queryable, accountIds: string[]): Promise<Suspension[]> {
  const rows = await db.query<{ kind: Suspension["kind"]; url: string | null }>({
    name: "find-suspensions",
    text: `
      select outgoing.target_url as url,
        case
          when account.id is not null and account.suspended_at is null then 'resumed'
          when incoming.account_id is not null then 'moving'
          when outgoing.state = 'released' then 'moved'
          when outgoing.state <> 'copying' then 'moving'
          else 'suspended' end as kind
      from unnest($1::uuid[]) with ordinality as given (id, position)
      left join accounts account on account.id = given.id
      left join incoming_moves incoming on incoming.account_id = given.id and incoming.state = 'copying'
      left join outgoing_moves outgoing on outgoing.account_id = given.id
      order by given.position`,
    values: [uuidArray(accountIds)],
  });
  return rows.map(({ kind, url }) => (kind === "moved" ? { kind, url: url ?? "another cell" } : { kind }));
}

/** For a log-in, a refresh or an invitation, which cannot continue in another cell. */
export async function refusalOfSuspended(db: Queryable, accountId: string): Promise<AppError> {
  const [suspension = { kind: "suspended" as const }] = await findSuspensions(db, [accountId]);
  return refusalOf(suspension, "login");
}

/**
 * Nothing was done, so clients that honour Retry-After repeat the request. That of a key arrives in the other cell as soon as the proxy
 * knows the move; a login is valid only in the cell that started it.
 */
export function refusalOf(suspension: Suspension, credential: "key" | "login"): AppError {
  switch (suspension.kind) {
    case "suspended":
      return suspended();
    case "resumed":
      return new AppError("UNAVAILABLE", "This account was resumed just now. Try again.", { retryAfterSeconds: 1 });
    case "moving":
      return moving("This account is moving to another cell. Try again in a few seconds.");
    case "moved":
      return credential === "key"
        ? moving(`This account has moved to ${suspension.url}. Send the request there.`)
        : new AppError("UNAUTHORIZED", `This account has moved to ${suspension.url}. Log in there.`);
  }
}

export function suspended(): AppError {
  return new AppError("UNAUTHORIZED", "This account is suspended. Ask the operator of this installation.");
}

/** A trigger of `0088_account_moves.sql` refused a change that began before the account was suspended. */
export function refusedByMove(cause: unknown): AppError {
  return moving(
    "This account is moving to another cell, or has moved there, so it cannot be changed here. Try again in a few seconds.",
    cause,
  );
}

function moving(message: string, cause?: unknown): AppError {
  return new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5, cause });
}
