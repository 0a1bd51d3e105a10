import type { Database, Transaction } from "../../db/database.ts";
import type { SecretPair } from "../../secret.ts";
import type { PartitionSpan } from "../../storage/partitions.ts";

export interface CopyDeps {
  source: Database;
  target: Database;
  /**
   * One transaction in the target: it locks the row of the move and throws when the move was undone, released or taken over, and sets
   * `postern.moves_account`. At repeatable read, because it changes rows of `sends` (db/database.ts).
   */
  inTarget: InTarget;
  accountId: string;
  keys: MoveKeys;
  /** PARTITION_SPAN of the target. */
  span: PartitionSpan;
}

export type InTarget = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;

export interface MoveKeys {
  /** CONTENT_KEY of each cell. */
  source: SecretPair;
  target: SecretPair;
  /** The name of a pepper in the source, and its name in the target. */
  pepperNames: ReadonlyMap<string, string>;
  /** `accounts.fingerprint_key` in the target (`adoptFingerprintKey`). */
  fingerprintKey: string | null;
}
