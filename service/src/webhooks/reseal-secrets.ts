import { sealingKeyId } from "../crypto/sealed-bytes.ts";
import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import { openEndpointSecret, sealEndpointSecret } from "./endpoint-secret.ts";

const pageSize = 500;

interface SecretRow {
  id: string;
  endpointId: string;
  sealed: Buffer;
}

interface Resealed {
  resealed: number;
  /** Sealed with a key that is not configured. Their endpoints get no signature of them. */
  unreadable: number;
}

/**
 * Seals the secrets of all accounts with the current content key. Endpoints live longer than content keys: without this, the operator could
 * not drop an old one. Every API process does it at start; two at the same time do no harm.
 */
export async function resealEndpointSecrets(db: Queryable, contentKeys: SecretPair): Promise<Resealed> {
  const result = { resealed: 0, unreadable: 0 };
  let after: string | undefined;
  while (true) {
    const page = await readPage(db, after);
    for (const row of page) {
      const keyId = sealingKeyId(row.sealed);
      if (keyId === contentKeys.current.id) continue;
      if (keyId !== contentKeys.second?.id) {
        result.unreadable++;
        continue;
      }
      await reseal(db, contentKeys, row);
      result.resealed++;
    }
    if (page.length < pageSize) return result;
    after = page.at(-1)?.id;
  }
}

function readPage(db: Queryable, after: string | undefined): Promise<SecretRow[]> {
  return db.query<SecretRow>({
    name: "read-webhook-secrets",
    text: `
      select id, endpoint_id as "endpointId", sealed
      from webhook_secrets
      where $1::uuid is null or id > $1
      order by id
      limit $2`,
    values: [after ?? null, pageSize],
  });
}

async function reseal(db: Queryable, contentKeys: SecretPair, { id, endpointId, sealed }: SecretRow): Promise<void> {
  const secret = openEndpointSecret(contentKeys, endpointId, sealed);
  await db.query({
    name: "reseal-webhook-secret",
    text: `
      update webhook_secrets
      set sealed = $3
      where id = $1
        and sealed = $2`,
    values: [id, sealed, sealEndpointSecret(contentKeys, endpointId, secret)],
  });
}
