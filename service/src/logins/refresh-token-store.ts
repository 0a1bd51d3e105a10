import type { Transaction } from "../db/database.ts";
import { addressOf, type Client, deviceOf } from "./client.ts";

/** How long after its first use a token may be repeated: the client may have lost the response. */
export const repeatSeconds = 30;
/**
 * A token is replaced at the earliest this long after it was issued. Responses that issue it leave the API until the repeats of its
 * predecessor end. With 30 s for the network they arrive before its successor exists, so in a browser a late one never overwrites a
 * newer cookie.
 */
export const rotationSeconds = 90;

/** The caller holds the lock of `lockLogin`, so the tokens of the login do not change between these statements. */

/** Undefined for a token that was used more than `repeatSeconds` ago, or is no longer stored. */
export async function findUsableToken(
  tx: Transaction,
  loginId: string,
  nonce: Buffer,
): Promise<{ isUsed: boolean; isDue: boolean } | undefined> {
  const [row] = await tx.query<{ isUsed: boolean; isDue: boolean }>({
    name: "find-usable-token",
    text: `
      select used_at is not null as "isUsed", issued_at <= now() - make_interval(secs => $4) as "isDue"
      from refresh_tokens
      where login_id = $1
        and nonce = $2
        and (used_at is null or used_at > now() - make_interval(secs => $3))`,
    values: [loginId, nonce, repeatSeconds, rotationSeconds],
  });
  return row;
}

/** The token that replaced all others. */
export async function findCurrentToken(tx: Transaction, loginId: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ nonce: Buffer }>({
    name: "find-current-token",
    text: `
      select nonce
      from refresh_tokens
      where login_id = $1
        and used_at is null
      order by issued_at desc, nonce
      limit 1`,
    values: [loginId],
  });
  return row?.nonce;
}

/**
 * Makes the successor the only token of the login: all others, elders and siblings alike, end `repeatSeconds` from now. Deletes
 * those that have ended before. The login gets its last use here, which is at most once in `rotationSeconds`.
 */
export async function replaceTokens(
  tx: Transaction,
  loginId: string,
  successor: Buffer,
  client: Client,
): Promise<void> {
  await tx.query({
    name: "replace-refresh-tokens",
    text: `
      with ended as (
        delete from refresh_tokens
        where login_id = $1
          and used_at <= now() - make_interval(secs => $3)
      ), used as (
        update refresh_tokens
        set used_at = now()
        where login_id = $1
          and used_at is null
      ), login as (
        update logins
        set last_used_at = now(), device = $4, address = $5
        where id = $1
      )
      insert into refresh_tokens (login_id, nonce)
      values ($1, $2)`,
    values: [loginId, successor, repeatSeconds, deviceOf(client), addressOf(client)],
  });
}
