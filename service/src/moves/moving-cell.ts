import type { Database } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import type { PartitionSpan } from "../storage/partitions.ts";

/** One of the two cells between which an account moves, with those of its settings that matter. */
export interface MovingCell {
  db: Database;
  /** The host name at which people log in, as callers write it. */
  publicUrl: string;
  code: string;
  apiKeyPepper: SecretPair;
  contentKey: SecretPair;
  /** Undefined: the cell keeps records permanently. */
  recordRetentionDays: number | undefined;
  partitionSpan: PartitionSpan;
  /** The AWS account and region; undefined until `postern aws setup` was run. */
  aws: { account: string; region: string } | undefined;
}
