import { AppError } from "../errors.ts";
import { countText, timeText } from "../plain-text.ts";
import { requireMatchingCells } from "./check-move.ts";
import { copyAll } from "./copy-account.ts";
import { findForeignPeople } from "./copy-records/find-foreign-people.ts";
import type { Horizon } from "./copy-records/horizon.ts";
import { type IncomingMove, openIncomingMove } from "./incoming-move.ts";
import type { MoveContext } from "./move-context.ts";
import { prepareDomains, type UnreadyDomain } from "./move-domains.ts";
import { findSharedPrefixes, listSecretsWithoutPrefix } from "./moved-keys.ts";
import { type OutgoingMove, ownTransaction, startMove } from "./outgoing-move.ts";
import { requireCode } from "./require-code.ts";
import { requireSnapshotsEnded } from "./require-snapshots-ended.ts";

export interface PreparedMove {
  outgoing: OutgoingMove;
  incoming: IncomingMove;
  unready: UnreadyDomain[];
}

/**
 * Everything that takes long, while the account works as always: checks, a copy of what there is, and the domains. Nothing in it is seen by
 * the account, and all of it can be repeated.
 */
export async function prepareMove(context: MoveContext): Promise<PreparedMove & { horizon: Horizon }> {
  const { source, target, account, say } = context;
  await requireMovable(context);
  const outgoing = await startMove(source.db, {
    accountId: account.id,
    targetUrl: target.publicUrl,
    targetCell: target.code,
  });
  if (outgoing.state === "unknown") throw afterFailover(account.name);
  await requireDistinctKeys(context);
  const incoming = await openIncomingMove(target.db, {
    accountId: account.id,
    moveId: outgoing.moveId,
    runId: context.runId,
    sourceUrl: source.publicUrl,
    sourceCell: source.code,
  });
  // From here on every send keeps the text of its idempotency key.
  const { transaction } = await source.db.withTransaction(ownTransaction);
  await requireSnapshotsEnded(source.db, transaction);
  say(`Copying the record of ${account.name}. The account works meanwhile.`);
  const { horizon, rows } = await copyAll(context, outgoing);
  const written = Object.values(rows).reduce((sum, count) => sum + count, 0);
  say(`Copied ${countText(written)} rows.`);
  const unready = await prepareDomains(source, context.domains, account.id);
  return { outgoing, incoming, unready, horizon };
}

/** Rows that the source has lost are in the copy. */
export function afterFailover(name: string): AppError {
  return new AppError(
    "CONFLICT",
    `The source had a failover during the move of ${name}. Run the command with --undo, then begin again.`,
  );
}

async function requireMovable({ source, target, account }: MoveContext): Promise<void> {
  requireMatchingCells(source, target);
  const people = await findForeignPeople(source.db, target.db, account.id);
  if (people.length > 0) {
    const emails = [...new Set(people.map(({ email }) => email))].join(", ");
    throw new AppError(
      "CONFLICT",
      `In the target, the address or the identity of these members belongs to another user: ${emails}. Remove one of the two first.`,
    );
  }
  // Last, because it changes something: from here on no older code may run in the two cells.
  await requireCode(source.db, source.code);
  await requireCode(target.db, target.code);
}

/** Once the move has begun, the source gives no new key the prefix of one of these. */
async function requireDistinctKeys({ source, account }: MoveContext): Promise<void> {
  const shared = await findSharedPrefixes(source.db, account.id);
  if (shared.length > 0) {
    const keys = shared.map(({ keyId, keyName, prefix }) => `  - ${prefix}…: ${keyName} (${keyId})`).join("\n");
    throw new AppError(
      "CONFLICT",
      `Keys of other accounts begin like these keys, and the proxy could not tell them apart:\n${keys}\nRoll these keys first.`,
    );
  }
  const unknown = await listSecretsWithoutPrefix(source.db, account.id);
  if (unknown.length > 0) {
    const keys = unknown
      .map(({ keyName, keyId, endsAt }) => `  - ${keyName} (${keyId}), until ${timeText(endsAt)}`)
      .join("\n");
    throw new AppError(
      "CONFLICT",
      `These keys were rolled by an older version, and their former secrets still work:\n${keys}\nMove the account later.`,
    );
  }
}
