import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../../db/database.ts";
import { parseAddress } from "../../mail-address.ts";
import { tryControlToken } from "../../provider/control-call-tokens.ts";
import type { EmailProvider, SuppressedAddress } from "../../provider/email-provider.ts";
import type { ReadRecord } from "./import-reader.ts";

interface ListDeps {
  db: Queryable;
  provider: Pick<EmailProvider, "listSuppressedAddresses">;
}

/** The provider's own list, page by page. `line` is the position in it. Each page waits for its control-call token. */
export async function* readProviderList({ db, provider }: ListDeps): AsyncGenerator<ReadRecord[]> {
  let line = 0;
  let next: string | undefined;
  do {
    while (!(await tryControlToken(db, "quota"))) await sleep(1_000);
    const page = await provider.listSuppressedAddresses(next);
    yield page.addresses.map((listed) => toRecord(listed, ++line));
    next = page.next;
  } while (next !== undefined);
}

function toRecord({ address: text, isComplaint }: SuppressedAddress, line: number): ReadRecord {
  const address = parseAddress(text);
  if ("problem" in address) return { line, problem: address.problem };
  const reason = isComplaint ? "complaint" : "hard_bounce";
  return { line, entry: { email: address.key, reason, note: undefined } };
}
