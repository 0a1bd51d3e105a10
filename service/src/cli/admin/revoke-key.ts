import { commandLineActor } from "../../actor.ts";
import { revokeApiKey } from "../../api-keys/api-key-store.ts";
import { type FoundApiKey, findApiKey } from "../../api-keys/find-api-key.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { say, timeText } from "../../plain-text.ts";
import { isUuid } from "../find-account.ts";
import { cancelQueued } from "./cancel-queued.ts";

export interface RevokeKeyOptions {
  cancelQueued?: boolean;
}

export async function runRevokeKey(db: Database, id: string, options: RevokeKeyOptions): Promise<void> {
  const key = await getKey(db, id);
  const isRevokedNow = await revokeApiKey(db.forAccount(key.accountId, commandLineActor()), key.id);
  say(isRevokedNow ? revokedText(key) : alreadyRevokedText(key));
  if (options.cancelQueued === true) await cancelQueued(db, key);
  else if (isRevokedNow) say("Mail that it has queued still goes out; --cancel-queued cancels it.");
}

async function getKey(db: Database, id: string): Promise<FoundApiKey> {
  if (!isUuid(id)) throw new AppError("VALIDATION_ERROR", `"${id}" is not the id of a key; an id is a UUID.`);
  const key = await findApiKey(db, id);
  if (key !== undefined) return key;
  throw new AppError(
    "NOT_FOUND",
    `There is no key ${id}. \`postern admin list-keys\` prints the ids of an account's keys.`,
  );
}

function revokedText(key: FoundApiKey): string {
  return `${describe(key)} is revoked. The API refuses it from now on.`;
}

/** Another process can revoke the key between the search and the statement; then the time is not known here. */
function alreadyRevokedText(key: FoundApiKey): string {
  const since = key.revokedAt === null ? "" : ` since ${timeText(key.revokedAt)}`;
  return `${describe(key)} was already revoked${since}.`;
}

function describe({ keyPrefix, name, accountName }: FoundApiKey): string {
  return `The key ${keyPrefix} ("${name}") of ${accountName}`;
}
