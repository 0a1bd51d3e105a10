import { domainToASCII } from "node:url";
import type { Database } from "../../src/db/database.ts";
import type { Mode } from "../../src/mode.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";

export interface ChurnSender {
  accountId: string;
  domains: ChurnDomain[];
  apiKeyIds: Record<Mode, string>;
  /** How many different tags its sends have. */
  tags: number;
}

interface ChurnDomain {
  name: string;
  /** In the address of the sender: as A-labels, or in Unicode. */
  written: string;
}

interface SenderOptions {
  writesUnicode: boolean;
  tags: number;
}

export async function aSender(db: Database, { writesUnicode, tags }: SenderOptions): Promise<ChurnSender> {
  const accountId = await anAccount(db);
  const names = [await aVerifiedDomain(db, accountId), await aVerifiedDomain(db, accountId)];
  const domains = names.map((name) => ({ name, written: name }));
  if (writesUnicode) {
    const written = "bücher.test";
    domains.push({ name: await aVerifiedDomain(db, accountId, domainToASCII(written)), written });
  }
  return {
    accountId,
    domains,
    tags,
    apiKeyIds: { live: await aKey(db, accountId, "live"), test: await aKey(db, accountId, "test") },
  };
}

async function aKey(db: Database, accountId: string, type: Mode): Promise<string> {
  const [key] = await db.query<{ id: string }>({
    name: "a-key",
    text: `
      insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac)
      values ($1, new_id_at(now()), 'k', $2, 'p', 'k1', decode(md5(random()::text) || md5(random()::text), 'hex'))
      returning id`,
    values: [accountId, type],
  });
  return key?.id ?? "";
}
