import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import { type Client, originOf } from "../logins/client.ts";
import { membershipOf } from "../logins/login-store.ts";
import type { SecretPair } from "../secret.ts";
import { openContent } from "../sends/content.ts";
import { showInlineImages } from "./inline-images.ts";
import { findViewHash, makeViewToken } from "./view-token.ts";

export interface ContentViewDeps {
  keys: SecretPair;
  cellCode: string;
}

const viewSeconds = 60;
/** A further view deletes the oldest one of the login. Without a bound a script could fill the table. */
export const maxViewsPerLogin = 20;

interface NewView {
  loginId: string;
  sendId: string;
  showsImages: boolean;
}

export type NewViewResult =
  | { kind: "view"; token: string; expiresAt: string; hasAttachments: boolean }
  | { kind: "not-kept" | "no-send" };

/**
 * Stores a view for the login: a token that shows the content of the send once. If the login ends in this moment, the row stays until it
 * expires and shows nothing.
 */
export async function addContentView(
  db: AccountDatabase,
  { cellCode }: ContentViewDeps,
  { loginId, sendId, showsImages }: NewView,
): Promise<NewViewResult> {
  const token = makeViewToken(cellCode);
  const [row] = await db.query<{ expiresAt: string | null; hasAttachments: boolean }>({
    name: "add-content-view",
    text: `
      with found as materialized (
        select s.id, content_of_send($1, s.id) is not null as is_kept, s.attachment_bytes is not null as has_attachments
        from sends s
        where s.account_id = $1
          and s.id = $2
      ), old as materialized (
        -- Skips rows that a view in progress or another request of the login has locked: it deletes them.
        select token_hash
        from content_views
        where account_id = $1
          and login_id = $3
        order by expires_at desc, token_hash
        offset $6
        for update skip locked
      ), deleted as (
        delete from content_views
        where account_id = $1
          and token_hash in (select token_hash from old)
      ), added as (
        insert into content_views (account_id, token_hash, login_id, send_id, shows_images, expires_at)
        select $1, $4, $3, found.id, $5, now() + make_interval(secs => $7)
        from found
        where found.is_kept
        returning expires_at
      )
      select (select expires_at from added) as "expiresAt", has_attachments as "hasAttachments"
      from found`,
    values: [db.accountId, sendId, loginId, token.hash, showsImages, maxViewsPerLogin - 1, viewSeconds],
    isPlannedEachTime: true,
  });
  if (row === undefined) return { kind: "no-send" };
  const { expiresAt, hasAttachments } = row;
  return expiresAt === null ? { kind: "not-kept" } : { kind: "view", token: token.text, expiresAt, hasAttachments };
}

/** The mail of a view. One of both is there. */
export interface ViewedContent {
  html: string | undefined;
  text: string | undefined;
  showsImages: boolean;
}

export type SpentView = { kind: "content"; content: ViewedContent } | { kind: "not-kept" | "not-valid" };

interface SpentRow {
  accountId: string;
  sendId: string;
  showsImages: boolean;
  sealed: Buffer | null;
}

/**
 * Uses the view up and reads the content: of two requests at once the second finds no row. The token is the only credential, so the
 * statement takes the account from its row, and checks again what the route that made the view checked: the login is open, its user is a
 * developer or owner, and the account is active. The entry of the audit is part of it.
 */
export async function spendContentView(
  db: Queryable,
  { keys, cellCode }: ContentViewDeps,
  { token, client }: { token: string; client: Client },
): Promise<SpentView> {
  const tokenHash = findViewHash(cellCode, token);
  if (tokenHash === undefined) return { kind: "not-valid" };
  const [row] = await db.query<SpentRow>({
    name: "spend-content-view",
    text: `
      with spent as (
        delete from content_views
        where token_hash = $1
        returning account_id, login_id, send_id, shows_images, expires_at
      ), viewed as materialized (
        select spent.account_id, spent.send_id, spent.shows_images, logins.user_id,
          content_of_send(spent.account_id, spent.send_id) as sealed
        from spent
        join logins on logins.id = spent.login_id
        cross join lateral ${membershipOf("logins")} as member
        where spent.expires_at > now()
          and logins.account_id = spent.account_id
          and logins.expires_at > now()
          and member.role in ('developer', 'owner')
          and not member."isSuspended"
          and not member."needsTotp"
      ), ${auditEntry({
        action: "content.read",
        actor: "(jsonb_build_object('kind', 'user', 'id', viewed.user_id) || $2::jsonb)",
        account: "viewed.account_id",
        target: { kind: "send", id: "viewed.send_id" },
        after: { images: "viewed.shows_images" },
        from: "viewed where viewed.sealed is not null",
      })}
      select account_id as "accountId", send_id as "sendId", shows_images as "showsImages", sealed
      from viewed`,
    values: [tokenHash, JSON.stringify(originOf(client))],
  });
  if (row === undefined) return { kind: "not-valid" };
  if (row.sealed === null) return { kind: "not-kept" };
  const { accountId, sendId, showsImages } = row;
  const { html, text, attachments = [] } = openContent(keys, { accountId, sendId }, row.sealed);
  const shown = html && (await showInlineImages(db, keys, { accountId, sendId, html, attachments }));
  return { kind: "content", content: { html: shown, text, showsImages } };
}
