import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { createFairSlots } from "../fair-slots.ts";
import type { Secret } from "../secret.ts";
import type { Attachment } from "./attachment.ts";
import { deletePendingAttachments, type StoredChunks, storeAttachments } from "./store-chunks.ts";

interface Owner {
  accountId: string;
  sendId: string;
}

export interface AttachmentStore {
  store(owner: Owner, attachments: Attachment[]): Promise<StoredChunks>;
  /**
   * For mails whose request made no send of them, as far as this process knows: what an accept statement has linked, or is deciding about,
   * stays. The chore does the same an hour later, so nobody waits for it and a failure is ignored.
   */
  forget(accountId: string, sendIds: string[]): void;
}

/** Mails whose attachments are written at the same time. More would take the disk from the commits of plain mail. */
const total = 2;
const maxWaitMs = 20_000;

/** Accounts take turns. `db` has connections of its own, so that attachments never take those of plain mail. */
export function createAttachmentStore(db: Database, key: Secret): AttachmentStore {
  const slots = createFairSlots({ perOwner: 1, total, waitingPerOwner: 64, waitingTotal: 256, maxWaitMs, refuse });
  return {
    store: (owner, attachments) => slots.run(owner.accountId, () => storeAttachments(db, key, owner, attachments)),
    forget(accountId, sendIds) {
      deletePendingAttachments(db, accountId, sendIds).catch(() => undefined);
    },
  };
}

function refuse(): AppError {
  return new AppError("UNAVAILABLE", "Too many mails with attachments wait to be stored. Try again shortly.", {
    retryAfterSeconds: 2,
  });
}
