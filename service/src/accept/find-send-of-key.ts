import type { KeyObject } from "node:crypto";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { isSendId } from "../sends/send-id.ts";
import { idempotencyHash } from "./fingerprint.ts";

/**
 * The id of the send that this idempotency key created, as in the accept statement: a key of the caller, or the one that the API generated,
 * which is the id of its send. A key never gets another send.
 */
export async function findSendOfKey(
  { db, fingerprintKey }: { db: AccountDatabase; fingerprintKey: KeyObject },
  mode: Mode,
  key: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>({
    name: "find-send-of-key",
    text: `
      select send_id as id
      from idempotency_keys
      where key_hash = $2
        and account_id = $1
      union all
      select id
      from sends
      where id = $3
        and account_id = $1
        and mode = $4
        and payload_hash is not null`,
    values: [
      db.accountId,
      idempotencyHash(fingerprintKey, db.accountId, mode, key).toString("hex"),
      isSendId(key) ? key : null,
      mode,
    ],
    isPlannedEachTime: true,
  });
  return row?.id;
}
